/** Changes somebody's plan in the record of a product that runs, as signing up and paying would; the feed tells their browsers. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const month = 30 * 24 * 60 * 60 * 1000

export const makePro = (stateDir: string, userId: string): void =>
  inRecord(
    stateDir,
    'insert into userCustomer (id, userId, subscription) values (?1, ?1, ?2) on conflict (userId) do update set subscription = ?2',
    userId,
    JSON.stringify({ id: `sub-${userId}`, status: 'active', currentPeriodEndMs: Date.now() + month, cancelAtPeriodEnd: false }),
  )

/** Somebody with an account and without a subscription. */
export const makeFree = (stateDir: string, userId: string): void =>
  inRecord(stateDir, 'update user set isAnonymous = 0 where id = ?1', userId)

function inRecord(stateDir: string, sql: string, ...values: string[]): void {
  for (const file of globSync('v3/d1/**/*.sqlite', { cwd: stateDir })) {
    const database = new DatabaseSync(join(stateDir, file), { timeout: 5000 })
    try {
      if (!database.prepare("select 1 from sqlite_master where name = 'userCustomer'").get()) continue
      database.prepare(sql).run(...values)
      return
    } finally {
      database.close()
    }
  }
  throw new Error(`no record below ${stateDir}`)
}
