// The users notified after a write to the directory: every user of the feed rows, once.
import { expect, test } from 'vitest'
import { directoryWatermark, usersAffectedSince } from '../../../worker/db/affected-users.ts'
import { insert, memberRow, organizationRow, userRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'

test('members of an organization are notified, but not other users and not the scope of all users', async () => {
  const [ada, ben, otherUser] = [userRow(), userRow(), userRow()]
  const organization = organizationRow()
  for (const user of [ada, ben, otherUser]) await insert(env.DB, 'user', user)
  await insert(env.DB, 'organization', organization)
  for (const user of [ada, ben]) await insert(env.DB, 'member', memberRow(String(organization.id), String(user.id)))
  const watermark = await directoryWatermark(env)
  expect(await usersAffectedSince(env, watermark)).toEqual([])
  await env.DB.prepare("update organization set name = 'Renamed' where id = ?").bind(String(organization.id)).run()
  await env.DB.exec("update model set credits = credits where id = 'kimi-k2'")
  expect((await usersAffectedSince(env, watermark)).sort()).toEqual([ada.id, ben.id].sort())
  await env.DB.prepare("update user set name = 'Ada' where id = ?").bind(String(ada.id)).run()
  expect(await usersAffectedSince(env, watermark)).toContain(ada.id)
  await env.DB.prepare('delete from user where id = ?').bind(String(ben.id)).run()
  expect(await usersAffectedSince(env, watermark)).toEqual([ada.id])
})
