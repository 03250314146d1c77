/** Which database holds the content of a user, and which one a new user gets. */
import { expect, test } from 'vitest'
import { idSchema } from '../../../worker/contract/ids.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { contentDb, contentDbs, type DatabaseBindings, directoryDb, newUserId } from '../../../worker/db/shards.ts'
import { missingContentBinding } from '../../../worker/setting-forms.ts'

const database = (name: string) => ({ name }) as unknown as D1Database
const [DB, CONTENT_DB_1, CONTENT_DB_2, CONTENT_DB_3] = ['directory', 'one', 'two', 'three'].map(database) as [
  D1Database,
  D1Database,
  D1Database,
  D1Database,
]

test('one database is the directory and holds the content', () => {
  const env = { DB }
  expect([directoryDb(env), contentDb(env, newUserId(env)), contentDbs(env)]).toEqual([DB, DB, [DB]])
  expect(newUserId(env)).toHaveLength(21)
})

test('a new user gets the newest database, and a later database moves no users', () => {
  let env: DatabaseBindings = { DB, CONTENT_DB_2 }
  const users = [newUserId({ DB }), newUserId(env)]
  expect(users.map((userId) => contentDb(env, userId))).toEqual([DB, CONTENT_DB_2])
  env = { ...env, CONTENT_DB_3 }
  expect([...users, newUserId(env)].map((userId) => contentDb(env, userId))).toEqual([DB, CONTENT_DB_2, CONTENT_DB_3])
  expect(contentDbs(env)).toEqual([DB, CONTENT_DB_2, CONTENT_DB_3])
  expect(idSchema.safeParse(newUserId(env)).success).toBe(true)
})

test('CONTENT_DB_1 keeps content out of the directory', () => {
  const env = { DB, CONTENT_DB_1, CONTENT_DB_2 }
  expect([directoryDb(env), contentDb(env, newId()), ...contentDbs(env)]).toEqual([DB, CONTENT_DB_1, CONTENT_DB_1, CONTENT_DB_2])
})

test('a random id is never read as an id with a number', () => {
  const env = { DB, CONTENT_DB_2 }
  expect(contentDb(env, `${newId().slice(0, 19)}-2`)).toBe(DB)
})

test('users of a database without binding are an error, and a gap in the numbers is named', () => {
  expect(() => contentDb({ DB }, newUserId({ DB, CONTENT_DB_2 }))).toThrow('CONTENT_DB_2 is not bound')
  expect([{ DB }, { DB, CONTENT_DB_2 }, { DB, CONTENT_DB_3 }, { DB, CONTENT_DB_1, CONTENT_DB_3 }].map(missingContentBinding)).toEqual([
    null,
    null,
    'CONTENT_DB_2',
    'CONTENT_DB_2',
  ])
})
