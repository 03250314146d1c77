/** Tool servers of an organization: an admin adds one and logs in for all, a member uses it in a thread, and loses it with the membership. */
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import { type OAuthPeer, startOAuthServer } from '../support/peers/oauth-server.ts'
import type { Behaviour, Peer } from '../support/peers/peer-server.ts'
import { echoTool, type PeerTool, startToolServer, type ToolServerPeer } from '../support/peers/tool-server.ts'
import { chooseModel } from './attach.ts'
import { createOrganization } from './organizations.ts'
import { inMode, setStage, show } from './stage.ts'
import { toolsButton, type UserPage } from './user-page.ts'

const mailTool: PeerTool = {
  name: 'send-mail',
  title: 'Send a mail',
  description: 'Sends a mail.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
}

let model: Peer
let open: ToolServerPeer
let guarded: ToolServerPeer
let oauth: OAuthPeer

const { newSignedInUser, newDevice } = setStage({
  product: async () => {
    oauth = await startOAuthServer()
    open = await startToolServer({
      tools: () => [echoTool, mailTool],
      fault: ({ headers }, response) => headers['x-api-key'] !== 'harbour-key' && !!response.writeHead(401).end(),
    })
    guarded = await startToolServer({ fault: oauth.guard(() => guarded.url) })
    model = await startGatewayPeer(({ body, streaming }): Behaviour => {
      const text = JSON.stringify(body)
      if (!streaming) return { kind: 'answer', words: ['Title'] }
      if (text.includes('again, please'))
        return { kind: 'answer', words: [text.includes('"name":"sea_send-mail"') ? 'It is there.' : 'It is gone.'] }
      if (text.includes('tool-result') || text.includes('allowed a call')) return { kind: 'answer', words: ['It is ', 'done.'] }
      return { kind: 'tools', calls: [{ name: 'sea_send-mail', input: '{"to": "ben@example.org"}' }] }
    })
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: model.url } }
  },
})
afterAll(() => Promise.all([model?.stop(), open?.stop(), guarded?.stop(), oauth?.stop()]))

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const callTeam = async ({ page }: UserPage, path: string, data: object) => {
  const headers = { origin: new URL(page.url()).origin }
  const response = await page.request.post(`/api/auth/organization/${path}`, { data, headers })
  expect(response.ok(), await response.text()).toBe(true)
  return (await response.json()) as { id: string }
}

async function addServer(page: Page, url: string, name: string, key?: string): Promise<void> {
  await button(page, 'Add server').click()
  await dialog(page).getByLabel('Address').fill(url)
  await dialog(page).getByLabel('Name', { exact: true }).fill(name)
  if (key !== undefined) {
    await dialog(page).getByRole('button', { name: 'Headers' }).click()
    await dialog(page).getByRole('button', { name: 'Add header' }).click()
    await dialog(page).getByLabel('Name of header 1').fill('x-api-key')
    await dialog(page).getByLabel('Value of header 1').fill(key)
  }
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
}

/** On narrow windows, and in both modes. */
async function showAll(user: UserPage, name: string): Promise<void> {
  for (const mode of ['dark', 'light'] as const) {
    await inMode(user.page, mode)
    await show(user, `${name}-${mode}`)
  }
}

test('an admin adds a server, a member uses it in a thread and approves a call, and loses it with the membership', async () => {
  const [ada, ben] = [await newSignedInUser('ada-servers@example.test'), await newSignedInUser('ben-servers@example.test')]
  await ada.page.goto('/team')
  const organizationId = await createOrganization(ada.page, 'Harbour')
  const invitation = await callTeam(ada, 'invite-member', { organizationId, email: 'ben-servers@example.test', role: 'member' })
  await ben.page.goto('/account/tools')
  await callTeam(ben, 'accept-invitation', { invitationId: invitation.id })

  await ada.page.goto(`/team/${organizationId}/tools`)
  await ada.page.getByText('is used for the calls of all members').waitFor()
  await addServer(ada.page, open.url, 'Sea', 'harbour-key')
  await button(ada.page, '2 tools').click()
  await showAll(ada, 'organization-tools')

  // The member sees it at once, and cannot change it.
  const managed = ben.page.getByRole('region', { name: 'Managed by Harbour' })
  await managed.getByText('Sea', { exact: true }).waitFor()
  await managed.getByRole('button', { name: '2 tools' }).click()
  expect(await managed.getByRole('button').count()).toBe(1)
  expect(await managed.getByRole('switch').count()).toBe(0)
  await managed.scrollIntoViewIfNeeded()
  await showAll(ben, 'organization-tools-of-member')

  // It is off until the member switches it on.
  const desk = await newDevice(ben)
  await desk.open()
  await chooseModel(desk, 'GPT 4o Mini')
  await expect.poll(() => toolsButton(desk).getAttribute('aria-description')).toBe('Web')
  await toolsButton(desk).click()
  await desk.page.getByRole('menuitemcheckbox', { name: 'Sea Harbour', checked: false }).click()
  await desk.page.getByRole('menuitemcheckbox', { name: 'Sea Harbour', checked: true }).waitFor()
  await showAll(desk, 'organization-tools-menu')
  await desk.page.keyboard.press('Escape')
  await expect.poll(() => toolsButton(desk).getAttribute('aria-description')).toBe('Web, Sea (Harbour)')
  await desk.send('The mail, please')
  const card = desk.conversation.getByRole('region', { name: 'Approval for Send a mail' })
  await card.getByText('Tool of Sea (Harbour)').waitFor()
  await showAll(desk, 'organization-tools-approval')
  await card.getByRole('button', { name: 'Allow once' }).click()
  await desk.conversation.getByText('It is done.').waitFor()
  expect(open.called).toEqual([{ name: 'send-mail', arguments: { to: 'ben@example.org' } }])

  const phone = await newDevice(ben, { phone: true, locale: 'de-DE' })
  await phone.page.goto(`/team/${organizationId}/tools`)
  await phone.page.getByText('Nur Inhaber und Admins können diese Server ändern.').waitFor()
  await phone.page.getByText('Sea', { exact: true }).waitFor()
  await showAll(phone, 'organization-tools-member-phone')
  const adaPhone = await newDevice(ada, { phone: true, locale: 'de-DE' })
  await adaPhone.page.goto(`/team/${organizationId}/tools`)
  await adaPhone.page.getByText('Sea', { exact: true }).waitFor()
  await showAll(adaPhone, 'organization-tools-phone')

  // Removed while the tabs are open.
  await toolsButton(desk).click()
  await desk.page.getByRole('menuitemcheckbox', { name: 'Sea Harbour' }).waitFor()
  await callTeam(ada, 'remove-member', { organizationId, memberIdOrEmail: 'ben-servers@example.test' })
  await desk.page.getByRole('menuitemcheckbox', { name: 'Sea Harbour' }).waitFor({ state: 'detached' })
  await managed.waitFor({ state: 'detached' })
  await phone.page.getByText('Sea', { exact: true }).waitFor({ state: 'detached' })
  await desk.page.keyboard.press('Escape')
  await desk.send('Is it there? Again, again, please')
  await desk.conversation.getByText('It is gone.').waitFor()
  expect(open.called).toHaveLength(1)
})

test('the login of an admin is for all members, and ends with the server', async () => {
  const ada = await newSignedInUser('ada-login@example.test')
  const { page } = ada
  await page.goto('/team')
  const organizationId = await createOrganization(page, 'Pier')
  const path = `/team/${organizationId}/tools`
  await page.goto(path)
  await addServer(page, guarded.url, 'Guarded')
  await page.getByText('Your login will be used for the calls of all members.').waitFor()
  await showAll(ada, 'organization-tools-login')
  await button(page, 'Log in').click()
  await button(page, '1 tool').waitFor()
  expect([new URL(page.url()).pathname, new URL(page.url()).search]).toEqual([path, ''])
  await button(page, 'More for Guarded').click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No servers yet.').waitFor()
  await expect.poll(() => oauth.revoked.length).toBe(2)
})
