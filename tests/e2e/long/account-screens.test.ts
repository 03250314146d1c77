/** The pages of an account: every screen, in both colour modes, on desktop and phone. */
import { beforeAll, test } from 'vitest'
import { freshSignInMs } from '../../../worker/contract/limits.ts'
import { newAccount } from '../../support/account.ts'
import { openRecord } from '../../support/record-file.ts'
import { accountScreens } from '../screens/account.ts'
import { walk } from '../screens/screen.ts'
import { setStage } from '../stage.ts'

// A wrong code, a login that is not recent, and an address that is no page.
const { openWithCookie, product } = setStage({
  product: { env: { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' } },
  ignoredErrors: /status of (400|403)|404 \(Not Found\) \[[^\]]*\/no\/such\/page\]/,
})
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:149.0) Gecko/20100101 Firefox/149.0'
const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1'

const accounts = async () => {
  const [me, old, social] = await Promise.all(
    ['me', 'old', 'social'].map((name) => newAccount(product().url, `${name}@screens.test`, firefox)),
  )
  if (!me || !old || !social) throw new Error('three accounts')
  // A second device.
  await newAccount(product().url, me.email, safari)
  return { me, old, social }
}
let known: Awaited<ReturnType<typeof accounts>>

beforeAll(async () => {
  known = await accounts()
  await product().kill9()
  const record = openRecord(product().stateDir)
  const longAgo = Date.now() - 2 * freshSignInMs
  for (const { userId } of [known.old, known.social])
    record.prepare('update session set createdAt = ? where userId = ?').run(longAgo, userId)
  record
    .prepare("insert into account (id, accountId, providerId, userId, createdAt, updatedAt) values ('a', 'hub-1', 'github', ?, ?, ?)")
    .run(known.social.userId, longAgo, longAgo)
  record.close()
  await product().restart()
})

test('every screen of an account', async () => {
  const [me, old, social] = [await openWithCookie(known.me), await openWithCookie(known.old), await openWithCookie(known.social)]
  await walk(accountScreens, { users: { me, old, social }, myId: known.me.userId })
})
