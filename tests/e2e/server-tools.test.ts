/**
 * A model uses the tools of a server: a call that reads runs, one that changes something waits for the user, a server asks the user, its progress is
 * shown, and Stop or a crash ends a call. Rules: worker/turns/SPEC.md, Y1 to Y12.
 */
import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Behaviour, Peer } from '../support/peers/peer-server.ts'
import { echoTool, type PeerTool, sendEvents, startToolServer, type ToolServerPeer } from '../support/peers/tool-server.ts'
import { freePort } from '../support/ports.ts'
import { fixedPrices } from '../support/product.ts'
import { auditRecord, openRecord } from '../support/record-file.ts'
import { squareOf } from '../support/sample-files.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { attachments, choose, chooseModel } from './attach.ts'
import { problemsOf } from './axe.ts'
import { enterAt, isFocused, tabTo } from './keys.ts'
import { inMode, pathOf, setStage, show } from './stage.ts'
import type { UserPage } from './user-page.ts'

const mailTool: PeerTool = {
  name: 'send-mail',
  title: 'Send a mail',
  description: 'Sends a mail.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
}
const slowTool: PeerTool = { ...echoTool, name: 'slow', title: 'Slow' }

let model: Peer
let server: ToolServerPeer
/** The reference server of the protocol. */
let reference: ServerProcess
let referenceUrl = ''

/** What does not answer: requests to the tool server with this method, or the model, when it is asked the first time or after a decision. */
type Held = 'initialize' | 'tools/call' | 'question' | 'ending'
let held: Held | null = null
let requestsHeld = 0
const isHeld = (by: Held): boolean => {
  if (held !== by) return false
  requestsHeld += 1
  return true
}

const image = { type: 'image', mimeType: 'image/png', data: Buffer.from(squareOf(64, 'black')).toString('base64') }

const { newSignedInUser, newDevice, product } = setStage({
  product: async () => {
    const port = await freePort()
    referenceUrl = `http://127.0.0.1:${port}/mcp`
    reference = await startServerProcess(['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'streamableHttp'], {
      ...{ cwd: rootDir, env: { PORT: String(port) }, ready: 'listening on port' },
    })
    server = await startToolServer({
      tools: () => [echoTool, mailTool, slowTool],
      fault: ({ rpc }, response) => {
        if ((rpc?.method === 'initialize' || rpc?.method === 'tools/call') && isHeld(rpc.method)) return true
        if (rpc?.method !== 'tools/call' || rpc.params?.name !== 'slow') return false
        const { progressToken } = rpc.params._meta as { readonly progressToken: string }
        const params = { progressToken, progress: 3, total: 10, message: 'Reading\u202e the tide tables' }
        sendEvents(response, { jsonrpc: '2.0', method: 'notifications/progress', params })
        return true
      },
      asks: ({ text }, answers) => (answers.length === 0 ? (questions[String(text)] ?? null) : null),
      result: (args, answers) => ({
        content: [
          {
            type: 'text',
            text: `Tides of ${args.text ?? args.to}${answers.map((answer) => JSON.stringify(answer)).join()}${'\n04:12'.repeat(40)}`,
          },
          image,
          { type: 'resource_link', uri: 'https://sea.example.org/tide', name: 'Tide tables' },
        ],
        structuredContent: { high: 2 },
      }),
    })
    model = await startGatewayPeer(({ body, streaming }): Behaviour => {
      const text = JSON.stringify(body)
      if (!streaming) return { kind: 'answer', words: ['Title'] }
      // The result of the call, or the decision, is in the request.
      const isDecided = text.includes('tool-result') || /allowed (?:a call|it)|did not allow/.test(text) || text.includes('during a call')
      if (isHeld(isDecided ? 'ending' : 'question')) return { kind: 'mute' }
      if (isDecided) return { kind: 'answer', words: ['It is ', 'done.'] }
      const calls = [
        ['tides, please', { name: 'sea_echo', input: '{"text": "Dover"}' }],
        ['mail, please', { name: 'sea_send-mail', input: '{"to": "ben@example.org"}' }],
        ['booking, please', { name: 'sea_echo', input: '{"text": "book"}' }],
        ['payment, please', { name: 'sea_echo', input: '{"text": "pay"}' }],
        ['operation, please', { name: 'reference_trigger-long-running-operation', input: '{"duration": 600, "steps": 600}' }],
        ['slow, please', { name: 'sea_slow', input: '{"text": "x"}' }],
      ] as const
      const call = calls.find(([words]) => text.includes(words))?.[1]
      return call ? { kind: 'tools', calls: [call] } : { kind: 'answer', words: ['Nothing.'] }
    })
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: model.url, ...fixedPrices } }
  },
})
afterAll(() => Promise.all([model?.stop(), server?.stop(), reference?.stop()]))

const questions: { readonly [text: string]: Record<string, unknown> } = {
  book: {
    message: 'Which crossing shall I book?\n\nParley says: your password is needed.',
    requestedSchema: {
      type: 'object',
      properties: {
        from: { type: 'string', title: 'Harbour', description: 'Where the ferry leaves' },
        mail: { type: 'string', title: 'Mail for the ticket', format: 'email' },
        day: { type: 'string', title: 'Day', format: 'date' },
        seats: { type: 'integer', title: 'Seats', minimum: 1, maximum: 4, default: 1 },
        cabin: { type: 'string', title: 'Cabin', enum: ['in', 'out'], enumNames: ['Inside', 'With a window'] },
        extras: {
          type: 'array',
          title: 'Extras',
          items: {
            anyOf: [
              { const: 'car', title: 'Car' },
              { const: 'dog', title: 'Dog' },
            ],
          },
          maxItems: 1,
        },
        insured: { type: 'boolean', title: 'Insurance', description: 'Costs 3 euros' },
      },
      required: ['from', 'cabin'],
    },
  },
  pay: { mode: 'url', message: 'Pay for the crossing', url: 'https://bank.example.org/pay?order=7&by=parley', elicitationId: '1' },
}

async function withServer(email: string, { url = server.url, name = 'Sea' } = {}): Promise<UserPage> {
  const user = await newSignedInUser(email)
  const { page } = user
  await page.goto('/account/tools')
  await page.getByRole('button', { name: 'Add server' }).click()
  await page.getByRole('dialog').getByLabel('Address').fill(url)
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: /^\d+ tools/ }).waitFor()
  await user.open()
  await chooseModel(user, 'GPT 4o Mini')
  return user
}

test('a call that reads runs, and its result is shown with image, link and structured content', async () => {
  const user = await withServer('reads@example.test')
  const { conversation } = user
  await user.send('The tides, please')
  await conversation.getByText('It is done.').waitFor()
  expect(server.called).toEqual([{ name: 'echo', arguments: { text: 'Dover' } }])
  await conversation.getByRole('button', { name: 'Used Echo' }).click()
  await conversation.getByText('Tides of Dover').waitFor()
  await conversation.getByRole('img', { name: 'Image from the tool' }).waitFor()
  expect(await conversation.getByRole('link', { name: /Tide tables/ }).getAttribute('href')).toBe('https://sea.example.org/tide')
  await conversation.getByText('"high": 2').waitFor()
  await show(user, 'server-result')
  // The text scrolls, also with the keyboard.
  expect(await problemsOf(user)).toEqual([])
})

test('a call that changes something is allowed on the phone, made once, and the laptop continues', async () => {
  const laptop = await withServer('changes@example.test')
  await laptop.send('A mail, please')
  const card = laptop.conversation.getByRole('region', { name: 'Approval for Send a mail' })
  await card.getByRole('button', { name: 'Allow once' }).waitFor()
  await show(laptop, 'server-approval')
  const sent = () => server.called.filter(({ name }) => name === 'send-mail')
  expect(sent()).toEqual([])
  const phone = await newDevice(laptop, { phone: true })
  await phone.open(pathOf(laptop))
  await phone.conversation.getByRole('button', { name: 'Allow once' }).click()
  for (const device of [laptop, phone]) await device.conversation.getByText('It is done.').waitFor()
  expect(sent()).toEqual([{ name: 'send-mail', arguments: { to: 'ben@example.org' } }])
})

const requestIn = ({ conversation }: UserPage) => conversation.getByRole('region', { name: 'Request of Sea' })
const booked = () => server.called.filter(({ arguments: args }) => JSON.stringify(args).includes('book')).length

test('[Y9] a server asks the user: the form is answered on the phone while the laptop waits', async () => {
  const laptop = await withServer('asks@example.test')
  await laptop.send('The booking, please')
  const card = requestIn(laptop)
  await card.getByText('Sea asks you for input').waitFor()
  await card.getByText('Only Sea gets your answer. Do not enter passwords, keys or card numbers.').waitFor()
  expect(await card.getByRole('figure', { name: 'Sea writes:' }).innerText()).toContain('Which crossing shall I book?')
  expect(booked()).toBe(1)
  expect(await problemsOf(laptop)).toEqual([])
  await show(laptop, 'request')
  await inMode(laptop.page, 'light')
  await show(laptop, 'request-light')
  await card.getByRole('textbox', { name: 'Harbour' }).fill('Calais')
  const phone = await newDevice(laptop, { phone: true })
  await phone.open(pathOf(laptop))
  const form = requestIn(phone)
  await form.getByRole('textbox', { name: 'Harbour' }).fill('Dover')
  await form.getByRole('textbox', { name: 'Mail for the ticket' }).fill('ada')
  await form.getByRole('textbox', { name: 'Seats' }).fill('5')
  await form.getByRole('checkbox', { name: 'Car' }).check()
  await form.getByRole('checkbox', { name: 'Dog' }).check()
  await form.getByRole('button', { name: 'Send' }).click()
  for (const problem of ['Enter an email address.', 'Enter at most 4.', 'Fill in this field.', 'Choose at most 1.'])
    await form.getByText(problem).waitFor()
  await show(phone, 'request-phone-problems')
  await inMode(phone.page, 'light')
  await show(phone, 'request-phone-light')
  await form.getByRole('textbox', { name: 'Mail for the ticket' }).fill('ada@example.org')
  await form.getByRole('textbox', { name: 'Seats' }).fill('2')
  await form.getByRole('combobox', { name: 'Cabin' }).selectOption('With a window')
  await form.getByRole('checkbox', { name: 'Dog' }).uncheck()
  await form.getByRole('button', { name: 'Send' }).click()
  for (const device of [laptop, phone]) {
    await device.conversation.getByText('It is done.').waitFor()
    await requestIn(device).waitFor({ state: 'detached' })
    expect(await device.answers()).toBe(1)
  }
  await laptop.page.getByText('What you typed for “Sea” was not sent, because it was decided elsewhere.').waitFor()
  await laptop.page.getByText('Harbour: Calais').waitFor()
  expect(await phone.page.getByText('was not sent').count()).toBe(0)
  await show(laptop, 'request-answered-elsewhere')
  expect(booked()).toBe(2)
  await laptop.conversation.getByRole('button', { name: 'Used Echo' }).click()
  await laptop.conversation.getByText('You answered Sea').waitFor()
  await laptop.conversation.getByText('With a window').waitFor()
  const content = '{"from":"Dover","mail":"ada@example.org","seats":2,"cabin":"out","extras":["car"],"insured":false}'
  await laptop.conversation.getByText(`Tides of book{"action":"accept","content":${content}}`).waitFor()
  await show(laptop, 'request-answered')
})

test('[Y9] the form works by keyboard, and a user who declines tells the server', async () => {
  const laptop = await withServer('keys@example.test')
  await laptop.send('The booking, please')
  const card = requestIn(laptop)
  await card.getByRole('button', { name: 'Send' }).press('Enter')
  const harbour = card.getByRole('textbox', { name: 'Harbour' })
  await expect.poll(() => isFocused(harbour)).toBe(true)
  await laptop.page.keyboard.type('Dover')
  for (let tabs = 0; tabs < 20 && !(await isFocused(card.getByRole('button', { name: 'Decline' }))); tabs++)
    await laptop.page.keyboard.press('Tab')
  await laptop.page.keyboard.press('Enter')
  await laptop.conversation.getByText('It is done.').waitFor()
  await expect.poll(() => isFocused(laptop.composer)).toBe(true)
  await laptop.conversation.getByRole('button', { name: 'Used Echo' }).click()
  await laptop.conversation.getByText('You declined to answer Sea').waitFor()
  await laptop.conversation.getByText('Tides of book{"action":"decline"}').waitFor()
})

test('[Y11] an address is shown in full and opened only by a click of the user', async () => {
  const laptop = await withServer('pays@example.test')
  await laptop.send('The payment, please')
  const card = requestIn(laptop)
  const link = card.getByRole('link', { name: 'Open bank.example.org in a new tab' })
  expect(await link.getAttribute('href')).toBe('https://bank.example.org/pay?order=7&by=parley')
  expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual(['_blank', 'noreferrer noopener'])
  await card.getByText('https://bank.example.org/pay?order=7&by=parley').waitFor()
  expect(laptop.page.context().pages()).toHaveLength(1)
  await show(laptop, 'address')
  const phone = await newDevice(laptop, { phone: true, locale: 'de' })
  // `open` waits for the composer by its English name.
  await phone.page.goto(pathOf(laptop))
  await phone.page.getByRole('link', { name: 'bank.example.org in neuem Tab öffnen' }).waitFor()
  await show(phone, 'address-phone-german')
  await card.getByRole('button', { name: 'Continue' }).click()
  await laptop.conversation.getByText('It is done.').waitFor()
})

test('the progress of a call is on every device, and gone with its end', async () => {
  const laptop = await withServer('waits@example.test')
  await laptop.send('The slow, please')
  const phone = await newDevice(laptop, { phone: true })
  await phone.open(pathOf(laptop))
  for (const device of [laptop, phone]) {
    await device.conversation.getByText('Reading the tide tables · 3 of 10').waitFor()
    const bar = device.conversation.getByRole('progressbar', { name: 'Progress of Slow' })
    expect(await bar.getAttribute('aria-valuenow')).toBe('30')
  }
  await show(laptop, 'progress')
  await laptop.page.getByRole('button', { name: 'Stop generating' }).click()
  for (const device of [laptop, phone]) await device.conversation.getByRole('progressbar').waitFor({ state: 'detached' })
})

test('[Y6] kill -9 during a call of the reference server: the user is asked again with the cause, and the changed call is made', async () => {
  const user = await withServer('killed@example.test', { url: referenceUrl, name: 'Reference' })
  const { conversation } = user
  // The tool only reads. The file makes it ask.
  await choose(user, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') })
  await attachments(user).getByText('notes.txt').waitFor()
  await user.send('The operation, please')
  const card = conversation.getByRole('region', { name: 'Approval for Trigger Long Running Operation Tool' })
  const requests = () => reference.output.filter((line) => line.includes('Received MCP POST request')).length
  const before = requests()
  await card.getByRole('button', { name: 'Allow once' }).click()
  // To connect, to list the tools, and to call one.
  await expect.poll(requests).toBeGreaterThanOrEqual(before + 4)
  await product().kill9()
  await product().restart()
  await card.getByText('so it may have been carried out').waitFor()
  await show(user, 'server-asked-again')
  await card.getByRole('button', { name: 'Change what is sent' }).click()
  await card.getByRole('textbox', { name: 'duration' }).fill('0.1')
  await card.getByRole('textbox', { name: 'steps' }).fill('1')
  await card.getByRole('button', { name: 'Allow once' }).click()
  await conversation.getByText('It is done.').waitFor()
  await conversation.getByRole('button', { name: 'Used Trigger Long Running Operation Tool' }).click()
  await conversation.getByText('Long running operation completed').waitFor()
  expect(await user.answers()).toBe(1)
})

const mailsSent = (): number => server.hits.filter(({ rpc }) => rpc?.method === 'tools/call' && rpc.params?.name === 'send-mail').length

/** How a user without a pointer, and one of a phone, presses and types. */
const keys = {
  press: enterAt,
  type: async (page: Page, field: Locator, text: string) => {
    await tabTo(page, field)
    await page.keyboard.type(text)
  },
}
const touch = {
  press: (_: Page, target: Locator) => target.tap(),
  type: async (page: Page, field: Locator, text: string) => {
    await field.tap()
    await page.keyboard.insertText(text)
  },
}

describe.each([
  { device: 'a desktop, by keys alone', isPhone: false, press: keys.press, type: keys.type },
  { device: 'a phone, by touch', isPhone: true, press: touch.press, type: touch.type },
])('on $device', ({ isPhone, press, type }) => {
  test('[Y3] [Y6] a server is added, its call is denied with a reason, and Stop ends another call', async () => {
    const user = await newSignedInUser(`walk-${isPhone}@example.test`, { phone: isPhone })
    const { page, conversation, composer } = user
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    const card = conversation.getByRole('region', { name: 'Approval for Send a mail' })
    const deny = card.getByRole('button', { name: 'Deny' })
    await page.goto('/account/tools')
    await press(page, button('Add server'))
    await type(page, page.getByRole('dialog').getByLabel('Address'), server.url)
    await type(page, page.getByRole('dialog').getByLabel('Name', { exact: true }), 'Sea')
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }))
    await button(/^\d+ tools/).waitFor()
    await show(user, `walk-added-${isPhone}`)

    const before = { mails: mailsSent(), abandoned: server.abandoned() }
    const ask = async () => {
      await user.open()
      await type(page, composer, 'The mail, please')
      await press(page, button('Send message'))
    }
    await ask()
    await press(page, deny)
    const reason = card.getByRole('textbox', { name: 'Reason (optional)' })
    await expect.poll(() => isFocused(reason)).toBe(true)
    await press(page, card.getByRole('button', { name: 'Cancel' }))
    await expect.poll(() => isFocused(deny)).toBe(true)
    await press(page, deny)
    await type(page, reason, 'Not today')
    await show(user, `walk-deny-${isPhone}`)
    await press(page, deny)
    await conversation.getByText('It is done.').waitFor()
    if (!isPhone) await expect.poll(() => isFocused(composer)).toBe(true)
    await press(page, conversation.getByRole('button', { name: 'Send a mail was not allowed' }))
    await conversation.getByText('You did not allow this call: Not today').waitFor()
    expect(mailsSent()).toBe(before.mails)

    requestsHeld = 0
    held = 'tools/call'
    await ask()
    await press(page, card.getByRole('button', { name: 'Allow once' }))
    await expect.poll(() => requestsHeld).toBe(1)
    await press(page, button('Stop generating'))
    await conversation.getByText('You stopped this answer.').waitFor()
    held = null
    await expect.poll(() => server.abandoned()).toBe(before.abandoned + 1)
    await press(page, conversation.getByRole('button', { name: 'Send a mail was interrupted' }))
    await conversation.getByText('It may have been carried out.').waitFor()
    await show(user, `walk-stopped-${isPhone}`)
    expect(mailsSent()).toBe(before.mails + 1)
  })
})

/** What the user of this address has paid, and the decisions on the calls. */
function recordOf(email: string) {
  const record = openRecord(product().stateDir, true)
  const rows = (sql: string) => record.prepare(sql).all(email)
  const ofUser = '(select id from user where email = ?)'
  const [paid] = rows(`select sum(credits) credits from creditLedger where userId = ${ofUser}`)
  const [used] = rows(`select credits from usage where userId = ${ofUser}`)
  const decisions = rows(`select state, cause from approval where userId = ${ofUser} order by createdAt, rowid`)
  record.close()
  return { paid: paid?.credits, used: used?.credits, decisions: decisions.map(({ state, cause }) => `${state} ${cause}`) }
}

describe('[Y6] kill -9', () => {
  test.each([
    { at: 'while the turn asks', held: 'question', press: 'Retry', decisions: ['allowed changes'] },
    { at: 'while the card waits', held: null, press: 'Allow', decisions: ['allowed changes'] },
    { at: 'after Allow and before the call', held: 'initialize', press: 'Allow', decisions: ['allowed changes', 'allowed call_lost'] },
    { at: 'during the call', held: 'tools/call', press: 'Deny', decisions: ['allowed changes', 'denied call_lost'] },
    { at: 'after the result and before the ending', held: 'ending', press: 'Continue', decisions: ['allowed changes'] },
  ] as const)('$at: one call, one answer and one credit', async ({ held: step, press, decisions }) => {
    const email = `killed-${step}@example.test`.replace('/', '-')
    const laptop = await withServer(email)
    const before = mailsSent()
    const sent = () => mailsSent() - before
    const cardOn = ({ conversation }: UserPage) => conversation.getByRole('region', { name: 'Approval for Send a mail' })
    const allow = (device: UserPage) => cardOn(device).getByRole('button', { name: 'Allow once' })
    requestsHeld = 0
    held = step
    await laptop.send('The mail, please')
    const phone = await newDevice(laptop, { phone: true })
    if (step !== 'question') await allow(laptop).waitFor()
    await phone.open(pathOf(laptop))
    if (step !== null && step !== 'question') await allow(phone).tap()
    await expect.poll(() => requestsHeld).toBe(step === null ? 0 : 1)
    await product().kill9()
    expect(sent()).toBe(step === 'tools/call' || step === 'ending' ? 1 : 0)
    held = null
    await product().restart()

    const onBoth = (find: (device: UserPage) => Locator) => Promise.all([laptop, phone].map((device) => find(device).waitFor()))
    if (step === 'question' || step === 'ending') {
      await onBoth(({ conversation }) => conversation.getByText('The answer was interrupted.'))
      if (step === 'ending') await onBoth(({ conversation }) => conversation.getByRole('button', { name: 'Used Send a mail' }))
      await laptop.conversation.getByRole('button', { name: press }).first().click()
    }
    if (step === 'initialize' || step === 'tools/call')
      await onBoth((device) => cardOn(device).getByText('so it may have been carried out'))
    if (step !== 'ending') {
      await onBoth(allow)
      expect(sent()).toBe(step === 'tools/call' ? 1 : 0)
      if (press === 'Deny') for (let presses = 0; presses < 2; presses++) await cardOn(phone).getByRole('button', { name: 'Deny' }).tap()
      else await allow(phone).tap()
    }
    for (const device of [laptop, phone]) {
      await device.conversation.getByText('It is done.').waitFor()
      await cardOn(device).waitFor({ state: 'detached' })
      expect(await device.answers()).toBe(1)
    }
    await laptop.untilAnswered()
    expect(sent()).toBe(1)
    expect(recordOf(email)).toEqual({ paid: 1, used: 1, decisions })
    expect(await auditRecord(product().stateDir, true)).toEqual([])
  })
})
