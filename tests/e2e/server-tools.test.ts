/** A model uses the tools of a server: a call that reads runs, one that changes something waits for the user, and Stop or a crash ends a call. */
import { afterAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Behaviour, Peer } from '../support/peers/peer-server.ts'
import { echoTool, type PeerTool, startToolServer, type ToolServerPeer } from '../support/peers/tool-server.ts'
import { freePort } from '../support/ports.ts'
import { squareOf } from '../support/sample-files.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { attachments, choose, chooseModel } from './attach.ts'
import { pathOf, setStage, show } from './stage.ts'
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
      fault: ({ rpc }) => rpc?.method === 'tools/call' && rpc.params?.name === 'slow',
      result: (args) => ({
        content: [
          { type: 'text', text: `Tides of ${args.text ?? args.to}` },
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
      if (text.includes('tool-result') || /allowed (?:a call|it)/.test(text)) return { kind: 'answer', words: ['It is ', 'done.'] }
      const calls = [
        ['tides, please', { name: 'sea_echo', input: '{"text": "Dover"}' }],
        ['mail, please', { name: 'sea_send-mail', input: '{"to": "ben@example.org"}' }],
        ['operation, please', { name: 'reference_trigger-long-running-operation', input: '{"duration": 600, "steps": 600}' }],
        ['slow, please', { name: 'sea_slow', input: '{"text": "x"}' }],
      ] as const
      const call = calls.find(([words]) => text.includes(words))?.[1]
      return call ? { kind: 'tools', calls: [call] } : { kind: 'answer', words: ['Nothing.'] }
    })
    return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: model.url } }
  },
})
afterAll(() => Promise.all([model?.stop(), server?.stop(), reference?.stop()]))

async function withServer(email: string, { url = server.url, name = 'Sea' } = {}): Promise<UserPage> {
  const user = await newSignedInUser(email)
  const { page } = user
  await page.goto('/account/tools')
  await page.getByRole('button', { name: 'Add server' }).click()
  await page.getByRole('dialog').getByLabel('Address').fill(url)
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: /^\d+ tools$/ }).waitFor()
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

test('Stop ends a call, and the server sees it', async () => {
  const user = await withServer('stops@example.test')
  await user.send('The slow, please')
  const begun = () => server.hits.filter(({ rpc }) => rpc?.method === 'tools/call' && rpc.params?.name === 'slow').length
  await expect.poll(begun).toBe(1)
  await user.page.getByRole('button', { name: 'Stop generating' }).click()
  await expect.poll(() => server.abandoned()).toBe(1)
  expect(begun()).toBe(1)
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
