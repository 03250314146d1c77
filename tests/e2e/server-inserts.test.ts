/** Resources of a server are attached with `@`, and its prompts inserted with `/`. A call that could carry their text out asks first. */
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Behaviour, Peer } from '../support/peers/peer-server.ts'
import { startToolServer, type ToolServerPeer } from '../support/peers/tool-server.ts'
import { pngOf } from '../support/sample-files.ts'
import { attachments, chooseModel } from './attach.ts'
import { inMode, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

let model: Peer
let server: ToolServerPeer
let isLoggedOut = false

const tides = { uri: 'note://sea/tides.md', name: 'tides.md', title: 'Tides of the week', description: 'High and low water.' }
const photo = { uri: 'note://sea/harbour.png', name: 'harbour.png', title: 'Harbour' }

const { newSignedInUser, newDevice } = setStage({
  product: async () => {
    server = await startToolServer({
      fault: (_, response) => isLoggedOut && !!response.writeHead(401).end(),
      resources: [tides, photo, { uri: 'javascript:alert(1)', name: 'Bad one' }],
      templates: [
        { uriTemplate: 'note://sea/log/{day}', name: 'log', title: 'Log of a day', description: 'What the harbour master wrote.' },
      ],
      prompts: [
        { name: 'greeting', title: 'Greeting', description: 'Greets the harbour.' },
        {
          name: 'letter',
          title: 'Letter to a ship',
          description: 'Writes to a ship.',
          arguments: [{ name: 'ship', description: 'Its name', required: true }, { name: 'tone' }],
        },
      ],
      complete: ({ argument }) => ['Aurora', 'Albatros'].filter((ship) => ship.startsWith((argument as { value: string }).value)),
      read: (uri) =>
        uri === photo.uri
          ? [{ uri, mimeType: 'text/plain', blob: Buffer.from(pngOf(60, 40, [20, 80, 160])).toString('base64') }]
          : [{ uri, mimeType: 'text/markdown', text: `# ${uri}\nHigh water at 7.` }],
      prompt: ({ name, arguments: args }) => [
        { role: 'user', content: { type: 'text', text: name === 'letter' ? `Dear ${(args as { ship: string }).ship},` : 'Ahoy!' } },
      ],
    })
    model = await startGatewayPeer(({ body, streaming }): Behaviour => {
      const text = JSON.stringify(body)
      if (!streaming) return { kind: 'answer', words: ['Title'] }
      if (text.includes('tool-result') || text.includes('allowed a call')) return { kind: 'answer', words: ['It is ', 'done.'] }
      return { kind: 'tools', calls: [{ name: 'sea_echo', input: '{"text": "Dover"}' }] }
    })
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: model.url } }
  },
})
afterAll(() => Promise.all([model?.stop(), server?.stop()]))

const field = ({ page }: UserPage) => page.getByRole('textbox', { name: /^(?:Message|Nachricht)$/ })
const resources = (page: Page) => page.getByRole('listbox', { name: 'Models and resources' })
const dialog = (page: Page) => page.getByRole('dialog')

async function withServer(email: string): Promise<UserPage> {
  isLoggedOut = false
  const user = await newSignedInUser(email)
  const { page } = user
  await page.goto('/account/tools')
  await page.getByRole('button', { name: 'Add server' }).click()
  await dialog(page).getByLabel('Address').fill(server.url)
  await dialog(page).getByLabel('Name', { exact: true }).fill('Sea')
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: '1 tool, 3 resources, 2 prompts' }).waitFor()
  return user
}

test('by keyboard, a resource becomes a file of the message, and a read of the server then asks first', async () => {
  const laptop = await withServer('resources@example.test')
  const { page, conversation } = laptop
  await page.getByRole('button', { name: '1 tool, 3 resources, 2 prompts' }).click()
  await page.getByText('1 resource cannot be used: Bad one.').waitFor()
  await show(laptop, 'server-offer-dark')
  await inMode(page, 'light')
  await show(laptop, 'server-offer-light')
  await laptop.open()
  await chooseModel(laptop, 'GPT 4o Mini')
  await field(laptop).focus()
  await page.keyboard.type('Read @')
  await resources(page).getByRole('group', { name: 'Sea' }).waitFor()
  await page.keyboard.type('tides')
  await resources(page).getByRole('option').filter({ hasText: 'Tides of the week' }).waitFor()
  await show(laptop, 'server-resources-dark')
  await inMode(page, 'light')
  await show(laptop, 'server-resources-light')
  await page.keyboard.press('Enter')
  await attachments(laptop).getByText('tides.md').waitFor()
  await page.keyboard.type('@harb')
  await resources(page).getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  // Its bytes are a picture, although the server calls it a text.
  await attachments(laptop).getByRole('button', { name: 'Open harbour.png' }).waitFor()
  expect(await field(laptop).inputValue()).toBe('Read ')

  await page.keyboard.type('@log')
  await resources(page).getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await dialog(page).getByLabel('day').fill('May 1')
  await show(laptop, 'server-template-light')
  await page.keyboard.press('Enter')
  await attachments(laptop).getByText('May 1.md').waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await show(laptop, 'server-attached-light')

  await page.getByRole('button', { name: 'Send message' }).click()
  const card = conversation.getByRole('region', { name: 'Approval for Echo' })
  await card.getByRole('button', { name: 'Allow once' }).waitFor()
  expect(server.called).toEqual([])
  expect(server.hits.flatMap(({ rpc }) => (rpc?.method === 'resources/read' ? rpc.params?.uri : []))).toEqual([
    tides.uri,
    photo.uri,
    'note://sea/log/May%201',
  ])
})

test('on a phone and in German, a prompt asks for its arguments, and its text can be edited before it is sent', async () => {
  const laptop = await withServer('server-prompts@example.test')
  const phone = await newDevice(laptop, { phone: true, locale: 'de-DE' })
  const { page } = phone
  await page.goto('/')
  await field(phone).fill('Bitte: /')
  await page.getByRole('option').filter({ hasText: 'Letter to a ship' }).waitFor()
  await show(phone, 'server-prompts-phone')
  await page.getByRole('option').filter({ hasText: 'Letter to a ship' }).tap()
  await dialog(page).getByText('Erforderlich').waitFor()
  // Without its required value, the form stays.
  await dialog(page).getByRole('button', { name: 'Einfügen' }).tap()
  const suggested = () =>
    dialog(page)
      .locator('datalist option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('value')))
  await expect.poll(suggested).toEqual(['Aurora', 'Albatros'])
  await dialog(page).getByLabel('ship').fill('Au')
  await expect.poll(suggested).toEqual(['Aurora'])
  await dialog(page).getByLabel('ship').fill('Aurora')
  await show(phone, 'server-prompt-form-phone')
  await dialog(page).getByRole('button', { name: 'Einfügen' }).tap()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await field(phone).inputValue()).toBe('Bitte: Dear Aurora,')
  await show(phone, 'server-prompt-phone')
  await inMode(page, 'light')
  await show(phone, 'server-prompt-phone-light')
})

test('without a network or a login the form or a notice has the reason, and nothing that was typed is lost', async () => {
  const laptop = await withServer('server-away@example.test')
  const { page, context } = laptop
  laptop.ignoreErrors(/ERR_INTERNET_DISCONNECTED|WebSocket|Failed to load resource/)
  await laptop.open()
  await field(laptop).focus()
  await page.keyboard.type('Hello @tides')
  await resources(page).getByRole('option').first().waitFor()
  // The part of the program that attaches is loaded.
  await page.keyboard.press('Enter')
  await attachments(laptop).getByText('tides.md').waitFor()
  await context.setOffline(true)
  await page.keyboard.type('/lett')
  await page.getByRole('option').filter({ hasText: 'Letter to a ship' }).click()
  await dialog(page).getByLabel('ship').fill('Aurora')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('alert').waitFor()
  await show(laptop, 'server-prompt-offline')
  await context.setOffline(false)
  isLoggedOut = true
  await dialog(page).getByRole('button', { name: 'Insert' }).click()
  await dialog(page).getByRole('link', { name: 'Open tool settings' }).waitFor()
  expect(await dialog(page).getByLabel('ship').inputValue()).toBe('Aurora')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.keyboard.type('@tides')
  await page.getByRole('option').filter({ hasText: 'Tides of the week' }).click()
  await page.getByText('The server asks for a login or a header with a key.').waitFor()
  await show(laptop, 'server-login-ended')
  expect(await field(laptop).inputValue()).toBe('Hello ')
  await page.getByRole('link', { name: 'Open tool settings' }).click()
  await page.getByText('Login needed').waitFor()
})
