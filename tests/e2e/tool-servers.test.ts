/** Settings, Tools: a server is added by its address, its tools are switched, its failures and its login have a sentence each. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OAuthPeer, startOAuthServer } from '../support/peers/oauth-server.ts'
import { echoTool, type PeerTool, startToolServer, type ToolServerPeer } from '../support/peers/tool-server.ts'
import { inMode, setStage, show } from './stage.ts'
import { optionsButton, toolsButton } from './user-page.ts'

// Servers need no search.
const { newSignedInUser, newDevice, openComposer } = setStage({ product: { env: { DISABLED_FEATURES: 'search' } } })

const writing: PeerTool = { name: 'send-mail', description: 'Sends a mail to somebody.', inputSchema: { type: 'object' } }

let open: ToolServerPeer
let guarded: ToolServerPeer
/** Lists its tools for tokens with another scope only. */
let strict: ToolServerPeer
let isStrict = false
let oauth: OAuthPeer
let offered: readonly PeerTool[] = [echoTool, writing]
beforeAll(async () => {
  oauth = await startOAuthServer()
  open = await startToolServer({ tools: () => offered })
  guarded = await startToolServer({ fault: oauth.guard(() => guarded.url) })
  strict = await startToolServer({
    fault: oauth.guard(
      () => strict.url,
      (_, granted) => (isStrict && !granted.includes('files:write') ? 'files:write admin:all' : null),
    ),
  })
})
afterAll(() => Promise.all([open.stop(), guarded.stop(), strict.stop(), oauth.stop()]))

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

async function addServer(page: Page, address: string, name = ''): Promise<void> {
  await button(page, 'Add server').click()
  await dialog(page).getByLabel('Address').fill(address)
  await dialog(page).getByLabel('Name', { exact: true }).fill(name)
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
}

test('a server is added, its tools are switched on two devices, and it is removed', async () => {
  const desk = await newSignedInUser('tools@example.test')
  const { page } = desk
  await page.goto('/account/tools')
  await page.getByText('No servers yet.').waitFor()
  await show(desk, 'tools-empty')
  await button(page, 'Add Linear').click()
  expect(await dialog(page).getByLabel('Address').inputValue()).toBe('https://mcp.linear.app/mcp')
  expect(await dialog(page).getByLabel('Name', { exact: true }).inputValue()).toBe('Linear')
  await button(page, 'Cancel').click()
  await addServer(page, open.url)
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByText('Peer', { exact: true }).waitFor()
  await button(page, '2 tools').click()
  await show(desk, 'tools-list')
  await page.getByRole('switch', { name: 'Use send-mail' }).click()
  await button(page, '1 of 2 tools on').waitFor()

  const phone = await newDevice(desk, { phone: true })
  await phone.page.goto('/account/tools')
  await button(phone.page, '1 of 2 tools on').click()
  expect(await phone.page.getByRole('switch', { name: 'Use send-mail' }).getAttribute('aria-checked')).toBe('false')

  await show(phone, 'tools-phone')
  offered = [echoTool]
  await button(page, 'Check Peer again').click()
  await button(phone.page, '1 tool').waitFor()

  await button(page, 'More for Peer').click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await dialog(page).getByLabel('Name').fill('Sea')
  await button(page, 'Save').click()
  await phone.page.getByText('Sea', { exact: true }).waitFor()

  await button(page, 'More for Sea').click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await phone.page.getByText('No servers yet.').waitFor()
})

test('without search, the composer has the tools of servers alone, and a switch for each', async () => {
  const desk = await newSignedInUser('switched-tools@example.test')
  await desk.page.goto('/account/tools')
  await addServer(desk.page, open.url, 'Sea')
  await desk.page.getByText('Sea', { exact: true }).waitFor()
  await desk.open('/')
  await expect.poll(() => toolsButton(desk).getAttribute('aria-description')).toBe('Sea')
  await toolsButton(desk).click()
  await desk.page.getByRole('menuitemcheckbox', { name: 'Sea' }).click()
  await expect.poll(() => toolsButton(desk).getAttribute('aria-description')).toBe('All tools are off')
  expect(await desk.page.getByRole('menuitemcheckbox').allInnerTexts()).toEqual(['Sea'])
  await show(desk, 'tools-without-search')

  const phone = await newDevice(desk, { phone: true })
  await phone.open('/')
  await optionsButton(phone).tap()
  await phone.page.getByRole('menuitemcheckbox', { name: 'Sea', checked: true }).waitFor()
})

test('a server that cannot be used keeps the form open with the reason', async () => {
  const user = await newSignedInUser('no-tools@example.test')
  const { page } = user
  await page.goto('/account/tools')
  await addServer(page, open.url.replace('/mcp', '/nothing'))
  await page.getByText('No MCP server answers at this address.').waitFor()
  await show(user, 'tools-failure')
  await dialog(page).getByLabel('Address').fill('https://10.0.0.1/mcp')
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Enter the https address of a public server.').waitFor()
})

test('a login leads to the server and back, and ends', async () => {
  const user = await newSignedInUser('tool-login@example.test')
  const { page } = user
  await page.goto('/account/tools')
  await addServer(page, guarded.url, 'Guarded')
  await page.getByText('Login needed').waitFor()
  await inMode(page, 'light')
  await show(user, 'tools-login')
  await button(page, 'Log in').click()
  await button(page, '1 tool').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await button(page, 'More for Guarded').click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByText('Login needed').waitFor()
  await expect.poll(() => oauth.revoked.length).toBe(2)
})

test('a server that requires more rights is shown with them, in its words, before the login', async () => {
  const user = await newSignedInUser('tool-rights@example.test')
  const { page } = user
  await page.goto('/account/tools')
  await addServer(page, strict.url, 'Strict')
  await page.getByText('Login needed').waitFor()
  await button(page, 'Log in').click()
  await page.getByText('You are logged in.').waitFor()
  isStrict = true
  await button(page, 'Check Strict again').click()
  await page.getByText('The server requires more rights than you have granted.').first().waitFor()
  await button(page, 'Log in').click()
  const asked = page.getByRole('alertdialog', { name: 'Strict requires more rights' })
  await asked.getByText('files:write').waitFor()
  await show(user, 'tools-rights')
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await asked.waitFor({ state: 'detached' })
  await button(page, 'Log in').click()
  await asked.getByRole('button', { name: 'Continue to login' }).click()
  await button(page, '1 tool').waitFor()
  await page.getByText('Login needed').waitFor({ state: 'detached' })
})

test('a guest is asked to log in', async () => {
  const guest = await openComposer()
  await guest.page.goto('/account/tools')
  await guest.page.getByText('Log in to connect servers.').waitFor()
  await show(guest, 'tools-guest')
})
