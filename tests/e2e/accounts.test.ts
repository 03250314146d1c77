/** Logging in, the account name, sessions, deletion, and account linking (guest to account), with several windows open. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isPersisted } from './is-persisted.ts'
import { codeIn, linkIn, pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

/** Both the socket and the next request report the end of a session; these tests cause both. */
const { mailTo, newSignedInUser, newUser, openComposer, product, signIn } = setStage({
  ignoredErrors: /the session has ended|401 \(Unauthorized\)|Unauthorized/,
})

/** Null when the user's unsent content in this browser has been deleted. */
const localDataOwner = (page: Page) => page.evaluate(() => localStorage.getItem('parley:owner'))

test('renaming updates all devices; a revoked device is signed out at once and stays so after going back', async () => {
  const [desk, phone] = [await newUser(), await newUser()]
  const email = 'two@example.test'
  await signIn(desk.page, email, '/account')
  await signIn(phone.page, email)
  await phone.page.getByRole('button', { name: /credits left/ }).click()
  await phone.page.getByRole('menuitem', { name: 'Settings' }).click()
  await desk.page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
  await expect.poll(() => phone.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada Lovelace')
  await expect.poll(() => isPersisted(phone.page, email)).toBe(true)
  await desk.page.reload()
  await desk.page.getByRole('button', { name: /^Revoke the session of/ }).click()
  const dialog = desk.page.getByRole('alertdialog', { name: 'Revoke Session' })
  await dialog.getByText('Are you sure you want to revoke this session?', { exact: true }).waitFor()
  expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Cancel', 'Revoke'])
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await phone.page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  expect(await localDataOwner(phone.page)).toBeNull()
  await expect.poll(() => isPersisted(phone.page, email)).toBe(false)
  await expect.poll(() => desk.page.getByRole('listitem').filter({ hasText: 'Logged in' }).count()).toBe(1)
  await phone.page.goBack()
  await phone.page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await phone.page.getByRole('link', { name: 'Back to home' }).click()
  await phone.page.getByRole('button', { name: /Guest 20 credits left/ }).waitFor()
  // A session that ends while no page is open: the next guest does not find the previous user's draft.
  await phone.composer.fill('what nobody else should read')
  await phone.context.clearCookies()
  await phone.page.reload()
  await phone.page.getByRole('button', { name: /Guest 20 credits left/ }).waitFor()
  expect(await phone.composer.inputValue()).toBe('')
  // Another account that logs in next does not find it either.
  await desk.open()
  await desk.composer.fill('what nobody else should read')
  const keeps = (words: string) => desk.page.evaluate((part) => Object.values(localStorage).some((text) => text.includes(part)), words)
  await expect.poll(() => keeps('nobody else')).toBe(true)
  await desk.context.clearCookies()
  await signIn(desk.page, 'three@example.test')
  await desk.page.getByRole('button', { name: /credits left/ }).waitFor()
  await expect.poll(async () => [await desk.composer.inputValue(), await keeps('nobody else')]).toEqual(['', false])
})

test('an account without a name is asked for it below the greeting, where nothing moves', async () => {
  const user = await newSignedInUser('eve@example.test')
  const { page } = user
  const question = page.getByRole('textbox', { name: 'What should we call you?' })
  const heading = page.getByRole('heading', { level: 1 })
  const top = async () => (await heading.boundingBox())?.y
  await user.open()
  await question.waitFor()
  const before = await top()
  expect(await user.composer.evaluate((field) => field === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: "Don't ask again" }).click()
  await question.waitFor({ state: 'detached' })
  expect(await top()).toBe(before)
  await page.reload()
  await user.composer.waitFor()
  expect(await question.count()).toBe(0)
  await expect.poll(top).toBe(before)

  // Another browser asks. The same letters as in the address are written as a name.
  const other = await newUser()
  await signIn(other.page, 'eve@example.test')
  const field = other.page.getByRole('textbox', { name: 'What should we call you?' })
  await field.fill('www.eve.example/x')
  await other.page.keyboard.press('Enter')
  await other.page.getByText('Enter a name of up to 32 characters without a link.').waitFor()
  other.ignoreErrors(/status of 400/)
  await show(other, 'name-question-refused')
  await field.fill('eve')
  await other.page.keyboard.press('Enter')
  for (const each of [user, other]) await each.page.getByRole('heading', { name: /, Eve$/ }).waitFor()
  expect(await field.count()).toBe(0)
  expect(await other.composer.evaluate((composer) => composer === document.activeElement)).toBe(true)
})

test('rows of a user stay while the server is not reachable, and go when it says that the session has ended', async () => {
  const email = 'rows@example.test'
  const [desk, phone] = [await newUser(), await newUser()]
  await signIn(desk.page, email, '/account')
  await signIn(phone.page, email)
  await expect.poll(() => isPersisted(phone.page, email)).toBe(true)
  phone.ignoreErrors(/ERR_INTERNET_DISCONNECTED|Failed to connect/)
  await phone.context.setOffline(true)
  await desk.page.evaluate(() =>
    fetch('/api/auth/revoke-other-sessions', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
  )
  await phone.page.getByText('Offline. Your messages are sent').waitFor()
  expect(await isPersisted(phone.page, email)).toBe(true)
  await phone.context.setOffline(false)
  await phone.page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await expect.poll(() => isPersisted(phone.page, email)).toBe(false)
})

test('rows of a session that ended while no page was open are removed for the next user of the browser', async () => {
  const email = 'before@example.test'
  const { page, context, composer } = await newSignedInUser(email)
  await page.goto('/')
  await expect.poll(() => isPersisted(page, email)).toBe(true)
  await page.goto('about:blank')
  await context.clearCookies()
  await page.goto(`${product().url}/`)
  await page.getByRole('button', { name: /Guest 20 credits left/ }).waitFor()
  await composer.fill('the next user')
  await expect.poll(() => isPersisted(page, email)).toBe(false)
  // Rows that another version of the page stored for another user.
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        indexedDB.open('rep:zero-somebodyelse123456789-abc12:6:50.old').onsuccess = ({ target }) => {
          ;(target as IDBOpenDBRequest).result.close()
          resolve(null)
        }
      }),
  )
  await page.reload()
  const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
  await expect.poll(databases).not.toContainEqual(expect.stringContaining('somebodyelse'))
  // The current user's rows stay.
  await expect.poll(() => isPersisted(page, 'anonymous.placeholder.invalid')).toBe(true)
})

test('the login page can be used by keyboard alone: the email address, then the code', async () => {
  const { page } = await newUser()
  await page.goto('/login')
  await expect.poll(() => page.getByRole('textbox', { name: 'Email' }).evaluate((field) => field === document.activeElement)).toBe(true)
  await page.keyboard.type('typed@example.test')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.keyboard.type(codeIn(await mailTo('typed@example.test')))
  await page.waitForURL((url) => url.pathname === '/')
})

test('deleting an account signs out every tab', async () => {
  const user = await newUser()
  await signIn(user.page, 'gone@example.test', '/account')
  const otherTab = await user.context.newPage()
  await otherTab.goto('/account/preferences')
  await otherTab.getByRole('textbox', { name: 'Nickname' }).waitFor()
  await user.page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = user.page.getByRole('dialog', { name: 'Delete account' })
  const action = dialog.getByRole('button', { name: 'Delete account' })
  const field = dialog.getByRole('textbox', { name: 'Type gone@example.test to confirm' })
  await field.fill('someone@example.test')
  expect(await action.getAttribute('aria-disabled')).toBe('true')
  await field.fill('Gone@example.test')
  await action.click()
  for (const page of [user.page, otherTab]) await page.waitForURL(/\/logged-out/)
  expect(await localDataOwner(user.page)).toBeNull()
  await signIn(user.page, 'gone@example.test', '/account')
  await user.page.getByText('Current', { exact: true }).waitFor()
  await expect.poll(() => user.page.getByRole('listitem').filter({ hasText: 'Logged in' }).count()).toBe(1)
})

test('a magic link logs in once, by its button; opening it uses nothing; a used link continues for its account and offers a new link to others', async () => {
  const guest = await newUser()
  const { page } = guest
  await page.goto('/login?callbackUrl=javascript:alert(1)')
  await page.getByRole('textbox', { name: 'Email' }).fill('mira@example.test')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  const link = linkIn(await mailTo('mira@example.test'))
  for (const _ of [1, 2]) {
    await page.goto(link)
    await page.getByText('This link logs you in as mira@example.test').waitFor()
  }
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect.poll(() => pathOf(guest)).toBe('/')
  await page.getByRole('button', { name: /mira.*Free 20 credits left/ }).waitFor()
  await page.goto(link)
  await page.getByRole('heading', { name: 'You are already logged in' }).waitFor()
  await page.getByRole('link', { name: 'Continue to Parley' }).click()
  await page.getByRole('button', { name: /mira.*Free 20 credits left/ }).waitFor()
  const other = await newUser()
  await other.page.goto(link)
  await other.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await other.page.getByRole('link', { name: 'Get a new link' }).waitFor()
})

test('the streaming answer of a guest continues in the account, in the tab that signs in and in another one', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=200 delay=20')
  await guest.conversation.getByText('word20 ').waitFor()
  const path = new URL(guest.page.url()).pathname
  const otherTab = await guest.context.newPage()
  await otherTab.goto(path)
  await otherTab.getByRole('log', { name: 'Conversation' }).getByText('word25 ').waitFor()
  await otherTab.getByRole('textbox', { name: 'Message', exact: true }).fill('half a thought')
  await signIn(guest.page, 'nia@example.test', path)
  for (const page of [guest.page, otherTab]) {
    await page.getByRole('button', { name: /nia.*Free 19 credits left/ }).waitFor()
    await page.getByRole('log', { name: 'Conversation' }).getByText('word200').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(path)
    await expect.poll(() => page.getByRole('navigation', { name: 'Threads' }).getByRole('link').count()).toBe(1)
  }
  await expect.poll(() => otherTab.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('half a thought')
  await expect.poll(() => guest.answers()).toBe(1)
})

const logInFromMenu = async ({ page }: UserPage) => {
  await page.getByRole('button', { name: /Guest \d+ credits left/ }).click()
  await page.getByRole('menuitem', { name: 'Log in' }).click()
}
const askForMail = async ({ page }: UserPage, email: string) => {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
}

test('logging in from a thread returns to the thread; a wrong code is refused', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  const path = pathOf(guest)
  await logInFromMenu(guest)
  await askForMail(guest, 'back@example.test')
  const right = codeIn(await mailTo('back@example.test'))
  const code = guest.page.getByRole('textbox', { name: 'Code' })
  const refused = guest.page.getByText('Incorrect code.')
  await code.fill(right === '000000' ? '000001' : '000000')
  await refused.waitFor()
  // The code was submitted automatically; pressing the button as well does not change the shown result.
  await expect.poll(() => code.inputValue()).toBe('')
  await guest.page.getByRole('button', { name: 'Log in', exact: true }).click()
  await refused.waitFor()
  guest.ignoreErrors(/status of 40[013]/)
  await code.fill(right)
  await expect.poll(() => pathOf(guest)).toBe(path)
  await guest.page.getByRole('button', { name: /back.*Free \d+ credits left/ }).waitFor()
  await guest.conversation.getByText('word3').waitFor()
})

/** Holds back the writes of a page after `hold`; other requests pass. */
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

test.each(['is never delivered', 'arrives after it'])(
  'a message sent during account linking and %s returns to the composer',
  async (outcome) => {
    const guest = await openComposer()
    await guest.send('/demo chunks=2 delay=0')
    await guest.untilAnswered()
    const path = new URL(guest.page.url()).pathname
    const otherTab = await guest.context.newPage()
    const writes = await heldWrites(otherTab)
    await otherTab.goto(path)
    const composer = otherTab.getByRole('textbox', { name: 'Message', exact: true })
    const conversation = otherTab.getByRole('log', { name: 'Conversation' })
    await conversation.getByText('word2').waitFor()
    // Opens the socket, so that writes are sent at once.
    await guest.send('/demo chunks=3 delay=0')
    await guest.untilAnswered()
    await conversation.getByText('word3').waitFor()
    writes.hold()
    const text = `Written while signing in, ${outcome}`
    await composer.fill(text)
    await otherTab.getByRole('button', { name: 'Send message' }).click()
    await expect.poll(writes.count).toBeGreaterThan(0)
    await expect.poll(() => composer.inputValue()).toBe('')
    await signIn(guest.page, `${outcome.replaceAll(' ', '-')}@example.test`, path)
    writes.end(outcome === 'arrives after it')
    await otherTab.getByRole('button', { name: /Free \d+ credits left/ }).waitFor()
    await expect.poll(() => composer.inputValue()).toBe(text)
    await expect.poll(() => conversation.getByText(text).count()).toBe(0)
    // The account can send it.
    await otherTab.getByRole('button', { name: 'Send message' }).click()
    await guest.conversation.getByText(text).waitFor()
    await expect.poll(() => composer.inputValue()).toBe('')
  },
)
