/** Deleting an account with a login that is not recent. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { freshSignInMs } from '../../../worker/contract/limits.ts'
import { openRecord } from '../../support/record-file.ts'
import { codeIn, setStage } from '../stage.ts'

/** Both the socket and the next request report the end of a session; this test causes both. */
const { mailTo, newUser, product, signIn } = setStage({ ignoredErrors: /the session has ended|401 \(Unauthorized\)|Unauthorized/ })

/** On a page of another origin, because the login page redirects signed-in users. */
async function logInAgain(page: Page, email: string): Promise<void> {
  const post = (path: string, data: object) =>
    page.request.post(`${product().url}/api/auth/${path}`, { data, headers: { origin: product().url } })
  await post('email-otp/send-verification-otp', { email, type: 'sign-in' })
  expect((await post('sign-in/email-otp', { email, otp: codeIn(await mailTo(email)) })).ok()).toBe(true)
}

test('a user whose login is not recent confirms the account by mail or by logging in again, and deletes it', async () => {
  const [mail, away] = [await newUser(), await newUser()]
  await signIn(mail.page, 'by-mail@example.test', '/account')
  await signIn(away.page, 'away@example.test', '/account')
  await product().kill9()
  const record = openRecord(product().stateDir)
  record.prepare('update session set createdAt = createdAt - ?').run(2 * freshSignInMs)
  const myId = String(record.prepare("select id from user where email = 'away@example.test'").get()?.id)
  record.close()
  await product().restart()

  const dialogOf = ({ page }: typeof mail) => page.getByRole('dialog', { name: 'Delete account' })
  const confirm = (who: typeof mail) => dialogOf(who).getByRole('button', { name: 'Delete account' }).click()
  const typeEmail = (who: typeof mail, email: string) =>
    dialogOf(who)
      .getByRole('textbox', { name: /to confirm$/ })
      .fill(email)
  // The dialog shows what prevents the deletion before it requests a code. After the member has left, nothing prevents it.
  const call = async ({ page }: typeof mail, path: string, data: object) => {
    const answer = await page.request.post(`/api/auth/organization/${path}`, { data, headers: { origin: product().url } })
    return (await answer.json()) as { readonly id: string }
  }
  const { id: organizationId } = await call(away, 'create', { name: 'Both', slug: 'both' })
  const { id: invitationId } = await call(away, 'invite-member', { organizationId, email: 'by-mail@example.test', role: 'member' })
  await call(mail, 'accept-invitation', { invitationId })
  await away.page.goto('/account')
  await away.page.getByRole('button', { name: 'Delete account' }).click()
  await typeEmail(away, 'away@example.test')
  await confirm(away)
  await dialogOf(away).getByRole('alert').getByText('You are the only owner of Both.').waitFor()
  expect(await dialogOf(away).getByRole('textbox', { name: 'Code' }).count()).toBe(0)

  await mail.page.goto('/account')
  await mail.page.getByRole('button', { name: 'Delete account' }).click()
  await typeEmail(mail, 'by-mail@example.test')
  await confirm(mail)
  const code = dialogOf(mail).getByRole('textbox', { name: 'Code' })
  // The mail is sent before the page asks for its code.
  await code.waitFor()
  await code.fill(codeIn(await mailTo('by-mail@example.test')).replace(/./g, (digit) => String(9 - Number(digit))))
  await confirm(mail)
  await dialogOf(mail).getByText('Incorrect code.').waitFor()
  await code.fill(codeIn(await mailTo('by-mail@example.test')))
  await confirm(mail)
  await mail.page.getByRole('heading', { name: 'Your data was deleted' }).waitFor()

  // Logged in as another account, the page offers nothing; as the same one, the deletion continues.
  await logInAgain(away.page, 'somebody-else@example.test')
  await away.page.goto(`/account?delete=${myId}`)
  await away.page.getByText('You logged in to a different account').waitFor()
  expect(await dialogOf(away).count()).toBe(0)
  await logInAgain(away.page, 'away@example.test')
  await away.page.goto(`/account?delete=${myId}`)
  await dialogOf(away).getByText('You are logged in again as').waitFor()
  await expect.poll(() => new URL(away.page.url()).search).toBe('')
  await typeEmail(away, 'away@example.test')
  await confirm(away)
  await away.page.getByRole('heading', { name: 'Your data was deleted' }).waitFor()
  // A login that is too old, and a wrong code.
  for (const user of [mail, away]) user.ignoreErrors(/40[03] \(/)
})
