/** From a guest to an account and out again, with more than one window open. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { freshSignInMs } from '../../worker/contract/limits.ts'
import { openRecord } from '../support/record-file.ts'
import { codeIn, setStage } from './stage.ts'

/** A session that ends is heard of by its socket and by the next request; both are what these tests are about. */
const { arrive, mailTo, meet, product } = setStage({ forgiven: /the session has ended|401 \(Unauthorized\)|Unauthorized/ })

/** Ends where the person wanted to go. */
async function signIn(page: Page, email: string, callbackUrl = '/'): Promise<void> {
  await page.goto(`/login?callbackUrl=${encodeURIComponent(callbackUrl)}`)
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  // The mail is there before the page says so.
  await page.getByRole('heading', { name: 'Magic link sent' }).waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailTo(email)))
  await page.waitForURL((url) => url.pathname === callbackUrl)
}

test('an answer that a guest asked for goes on in the account, in the tab that signs in and in the one beside it', async () => {
  const guest = await arrive()
  await guest.send('/demo chunks=200 delay=20')
  await guest.conversation.getByText('word20 ').waitFor()
  const path = new URL(guest.page.url()).pathname
  const beside = await guest.context.newPage()
  await beside.goto(path)
  await beside.getByRole('log', { name: 'Conversation' }).getByText('word25 ').waitFor()
  await beside.getByRole('textbox', { name: 'Message', exact: true }).fill('half a thought')
  await signIn(guest.page, 'nia@example.test', path)
  for (const page of [guest.page, beside]) {
    await page.getByRole('button', { name: /nia.*Free · 19 credits left/ }).waitFor()
    await page.getByRole('log', { name: 'Conversation' }).getByText('word200').waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
    await expect.poll(() => page.getByRole('navigation', { name: 'Threads' }).getByRole('link').count()).toBe(1)
  }
  expect(await beside.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('half a thought')
  expect(await guest.answers()).toBe(1)
})

/** Keeps what a page writes on its way, from when it is told to; everything else passes. */
async function heldWrites(page: Page): Promise<{ hold(): void; readonly count: () => number; end(isSent: boolean): void }> {
  let isHeld = false
  const held: (() => void)[] = []
  await page.routeWebSocket(/\/sync\//, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      if (isHeld && String(message).startsWith('["push"')) held.push(() => server.send(message))
      else server.send(message)
    })
  })
  return {
    hold: () => {
      isHeld = true
    },
    count: () => held.length,
    end: (isSent) => {
      isHeld = false
      for (const send of held.splice(0)) if (isSent) send()
    },
  }
}

test.each(['is never delivered', 'arrives after it'])('what is sent during the hand-over and %s is in the composer again', async (fate) => {
  const guest = await arrive()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  const path = new URL(guest.page.url()).pathname
  const beside = await guest.context.newPage()
  const writes = await heldWrites(beside)
  await beside.goto(path)
  const composer = beside.getByRole('textbox', { name: 'Message', exact: true })
  const conversation = beside.getByRole('log', { name: 'Conversation' })
  await conversation.getByText('word2').waitFor()
  // By socket, so that writes go out at once.
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  await conversation.getByText('word3').waitFor()
  writes.hold()
  const text = `Written while signing in, ${fate}`
  await composer.fill(text)
  await beside.getByRole('button', { name: 'Send message' }).click()
  await expect.poll(writes.count).toBeGreaterThan(0)
  expect(await composer.inputValue()).toBe('')
  await signIn(guest.page, `${fate.replaceAll(' ', '-')}@example.test`, path)
  writes.end(fate === 'arrives after it')
  await beside.getByRole('button', { name: /Free · \d+ credits left/ }).waitFor()
  await expect.poll(() => composer.inputValue()).toBe(text)
  expect(await conversation.getByText(text).count()).toBe(0)
  // And it can be sent, as the account.
  await beside.getByRole('button', { name: 'Send message' }).click()
  await guest.conversation.getByText(text).waitFor()
  await expect.poll(() => composer.inputValue()).toBe('')
})

test('a name is everywhere at once; a device that is revoked is out at once, and stays out when it goes back', async () => {
  const [desk, phone] = [await meet(), await meet()]
  const email = 'two@example.test'
  await signIn(desk.page, email, '/account')
  await signIn(phone.page, email)
  await phone.page.getByRole('button', { name: /credits left/ }).click()
  await phone.page.getByRole('menuitem', { name: 'Settings' }).click()
  await desk.page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
  await desk.page.getByRole('button', { name: 'Save name' }).click()
  await expect.poll(() => phone.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada Lovelace')
  await desk.page.reload()
  await desk.page.getByRole('button', { name: /^Revoke the session of/ }).click()
  const dialog = desk.page.getByRole('alertdialog', { name: 'Revoke Session' })
  expect(await dialog.innerText()).toContain('Are you sure you want to revoke this session?')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await phone.page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await expect.poll(() => desk.page.getByRole('listitem').filter({ hasText: 'Logged in' }).count()).toBe(1)
  await phone.page.goBack()
  await phone.page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await phone.page.getByRole('link', { name: 'Back to home' }).click()
  await phone.page.getByRole('button', { name: /Guest · 20 credits left/ }).waitFor()
})

test('a deleted account is gone from every tab', async () => {
  const person = await meet()
  await signIn(person.page, 'gone@example.test', '/account')
  const beside = await person.context.newPage()
  await beside.goto('/account/preferences')
  await beside.getByRole('textbox', { name: 'Nickname' }).waitFor()
  await person.page.getByRole('button', { name: 'Delete account' }).click()
  await person.page.getByRole('dialog', { name: 'Delete account' }).getByRole('button', { name: 'Delete account' }).click()
  for (const page of [person.page, beside]) await page.waitForURL(/\/logged-out/)
  await signIn(person.page, 'gone@example.test', '/account')
  await person.page.getByText('Current', { exact: true }).waitFor()
  expect(await person.page.getByRole('listitem').filter({ hasText: 'Logged in' }).count()).toBe(1)
})

/** Somewhere else than on our own page, which leads whoever is logged in away. */
async function logInAgain(page: Page, email: string): Promise<void> {
  const post = (path: string, data: object) =>
    page.request.post(`${product().url}/api/auth/${path}`, { data, headers: { origin: product().url } })
  await post('email-otp/send-verification-otp', { email, type: 'sign-in' })
  expect((await post('sign-in/email-otp', { email, otp: codeIn(await mailTo(email)) })).ok()).toBe(true)
}

test('whoever logged in long ago shows that the account is theirs, by mail or on the way back from somewhere, and deletes it', async () => {
  const [mail, away] = [await meet(), await meet()]
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
  await mail.page.goto('/account')
  await mail.page.getByRole('button', { name: 'Delete account' }).click()
  await confirm(mail)
  const code = dialogOf(mail).getByRole('textbox', { name: 'Code' })
  await code.fill(codeIn(await mailTo('by-mail@example.test')).replace(/./g, (digit) => String(9 - Number(digit))))
  await confirm(mail)
  await dialogOf(mail).getByText('That code is not right.').waitFor()
  await code.fill(codeIn(await mailTo('by-mail@example.test')))
  await confirm(mail)
  await mail.page.getByRole('heading', { name: 'Everything is deleted' }).waitFor()

  // As another account, nothing is offered; as the same one, what was begun goes on.
  await logInAgain(away.page, 'somebody-else@example.test')
  await away.page.goto(`/account?delete=${myId}`)
  await away.page.getByText('You logged in as somebody else').waitFor()
  expect(await dialogOf(away).count()).toBe(0)
  await logInAgain(away.page, 'away@example.test')
  await away.page.goto(`/account?delete=${myId}`)
  await dialogOf(away).getByText('You are logged in again as').waitFor()
  expect(new URL(away.page.url()).search).toBe('')
  await confirm(away)
  await away.page.getByRole('heading', { name: 'Everything is deleted' }).waitFor()
  // A server that is away for a moment, a login that is too old, a code that is wrong.
  for (const person of [mail, away]) person.forgive(/WebSocket|ERR_CONNECTION|Failed to fetch|40[03] \(/)
})
