// The protocol's reference server, by streamable HTTP and by the older SSE: its tools, results, progress and the end of a call.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rootDir } from '../../../../../scripts/lib/paths.ts'
import { type ServerConnection, withServer } from '../../../../../worker/chat/tools/mcp/connection.ts'
import type { ResumedCall } from '../../../../../worker/chat/tools/mcp/input-requests.ts'
import type { ServerToolOutput } from '../../../../../worker/contract/tools/server-output.ts'
import { freePort } from '../../../../support/ports.ts'
import { type ServerProcess, startServerProcess } from '../../../../support/server-process.ts'

const never = new AbortController().signal
const program = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'

describe.each([
  ['streamableHttp', '/mcp', 'listening on port'],
  ['sse', '/sse', 'running on port'],
])('by %s', (transport, path, ready) => {
  let server: ServerProcess
  let url = ''
  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}${path}`
    server = await startServerProcess([program, transport], { cwd: rootDir, env: { PORT: String(port) }, ready })
  })
  afterAll(() => server.stop())

  const use = <T>(run: (connection: ServerConnection) => Promise<T>, signal = never) =>
    withServer({ url, credentials: { headers: {} } }, { send: fetch, isLocalAllowed: true }, signal, run)
  const call = (
    name: string,
    args: Record<string, unknown>,
    onProgress?: (progress: unknown) => void,
    signal = never,
  ): Promise<ServerToolOutput> =>
    use(async (connection) => {
      const tool = (await connection.list()).tools.find((one) => one.name === name)
      if (!tool) throw new Error(`no tool ${name}`)
      const outcome = await connection.call(tool, args, onProgress)
      if ('asks' in outcome) throw new Error('the server asks')
      return outcome
    }, signal)

  test('all its tools are usable', async () => {
    const { tools, unusable } = await use((connection) => connection.list())
    expect(unusable).toBe(0)
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image', 'get-structured-content']))
  })

  test('its resources, templates and prompts are usable', async () => {
    const { resources = [], prompts = [], leftOut } = await use((connection) => connection.list())
    expect(leftOut).toEqual([])
    expect(resources.find(({ name }) => name === 'architecture.md')).toMatchObject({
      uri: 'demo://resource/static/document/architecture.md',
      title: 'architecture.md',
    })
    const templates = resources.flatMap(({ uri, args }) => (args ? [[uri, args.map(({ name, isRequired }) => [name, isRequired])]] : []))
    expect(templates).toContainEqual(['demo://resource/dynamic/text/{resourceId}', [['resourceId', true]]])
    expect(prompts.map(({ name, args }) => [name, args.map((arg) => [arg.name, arg.isRequired])])).toEqual(
      expect.arrayContaining([
        ['simple-prompt', []],
        [
          'args-prompt',
          [
            ['city', true],
            ['state', false],
          ],
        ],
      ]),
    )
  })

  test('a resource is read as a file, of text and of bytes', async () => {
    const read = (uri: string) => use((connection) => connection.read(uri, 'A title'))
    const { files, left } = await read('demo://resource/static/document/architecture.md')
    expect(left.count).toBe(0)
    expect(files).toEqual([{ name: 'architecture.md', text: expect.stringContaining('Architecture') }])
    // Its bytes are text.
    const [blob] = (await read('demo://resource/dynamic/blob/1')).files
    expect(blob).toMatchObject({ name: '1.txt' })
    expect(Buffer.from(blob && 'data' in blob ? blob.data : '', 'base64').toString()).toMatch(/^Resource 1:/)
    await expect(read('demo://resource/static/document/missing.md')).rejects.toMatchObject({ code: 'error' })
  })

  test('a prompt is read as text, with its resource as a file', async () => {
    const prompt = (name: string, args = {}) => use((connection) => connection.prompt(name, args, 'A title'))
    expect(await prompt('simple-prompt')).toMatchObject({ text: 'This is a simple prompt without arguments.', files: [] })
    expect((await prompt('args-prompt', { city: 'Kiel', state: 'Holstein' })).text).toBe("What's weather in Kiel, Holstein?")
    const embedded = await prompt('resource-prompt', { resourceType: 'Text', resourceId: '2' })
    expect(embedded.text).toMatch(/^This prompt includes the Text resource/)
    expect(embedded.files).toEqual([{ name: '2.txt', text: expect.stringMatching(/^Resource 2:/) }])
    await expect(prompt('args-prompt')).rejects.toMatchObject({ code: 'error' })
  })

  test('arguments of prompts and of templates have suggestions, which depend on the other values', async () => {
    const suggest = (kind: 'prompt' | 'resource', key: string, name: string, value: string, args = {}) =>
      use((connection) => connection.suggest({ kind, key, argument: { name, value }, args }))
    const ofPrompt = (name: string, value: string, args = {}) => suggest('prompt', 'completable-prompt', name, value, args)
    expect(await ofPrompt('department', 'S')).toEqual({ values: ['Sales', 'Support'] })
    expect(await ofPrompt('name', '', { department: 'Sales' })).toEqual({ values: ['David', 'Eve', 'Frank'] })
    expect(await suggest('resource', 'demo://resource/dynamic/text/{resourceId}', 'resourceId', '7')).toEqual({ values: ['7'] })
  })

  test('text, an image, links and structured content arrive', async () => {
    expect(await call('echo', { message: 'hi' })).toEqual({ content: [{ type: 'text', text: 'Echo: hi' }] })
    expect((await call('get-tiny-image', {})).content.map(({ type }) => type)).toEqual(['text', 'image', 'text'])
    expect((await call('get-resource-links', { count: 3 })).content).toHaveLength(4)
    expect(await call('get-structured-content', { location: 'New York' })).toMatchObject({ content: [{ type: 'text' }] })
  })

  test('arguments that do not fit are an error for the model', async () => {
    expect(await call('get-sum', { a: 'one' })).toMatchObject({ isError: true })
  })

  const asking = (name: string, args: Record<string, unknown>, resumed?: ResumedCall) =>
    use(async (connection) => {
      const tool = (await connection.list()).tools.find((one) => one.name === name)
      if (!tool) throw new Error(`no tool ${name}`)
      return connection.call(tool, args, undefined, resumed)
    })

  test('a form of every kind of field is asked, answered and declined', async () => {
    const outcome = await asking('trigger-elicitation-request', {})
    if (!('asks' in outcome)) throw new Error('the server asks')
    const [ask] = outcome.asks
    const fields = ask && 'schema' in ask ? Object.entries(ask.schema.properties).map(([name, { type }]) => `${name} ${type}`) : []
    expect(fields).toHaveLength(13)
    expect(fields).toEqual(expect.arrayContaining(['check boolean', 'integer integer', 'number number', 'titledMultipleSelectEnum array']))
    const answers = [{ name: 'Ada', integer: 7, untitledMultipleSelectEnum: ['Piano'] }]
    const answered = await asking('trigger-elicitation-request', {}, { state: outcome.state, answers })
    expect(JSON.stringify(answered)).toContain('- Name: Ada\\n- Favorite Integer: 7')
    const declined = await asking('trigger-elicitation-request', {}, { state: outcome.state, answers: undefined })
    expect(JSON.stringify(declined)).toContain('User declined to provide')
  })

  test.each([
    ['by a request', false],
    ['by an error', true],
  ])('an address is opened by the user, asked %s', async (_name, errorPath) => {
    const args = { url: 'https://example.org/pay', message: 'Pay', errorPath, elicitationId: 'one' }
    const outcome = await asking('trigger-url-elicitation', args)
    expect(outcome).toMatchObject({ asks: [errorPath ? { url: 'https://modelcontextprotocol.io/' } : { url: 'https://example.org/pay' }] })
    if (!('asks' in outcome)) return
    const next = await asking('trigger-url-elicitation', args, { state: outcome.state, answers: [{}] })
    // The server keeps in its session that the address of the error was opened, and sessions end with their call.
    if (errorPath) expect(next).toHaveProperty('asks')
    else expect(JSON.stringify(next)).toContain('User completed the URL elicitation flow')
  })

  test('a long call reports progress', async () => {
    const seen: unknown[] = []
    await call('trigger-long-running-operation', { duration: 0.2, steps: 2 }, (progress) => seen.push(progress))
    // The last report may arrive after the result.
    expect(seen[0]).toMatchObject({ progress: 1, total: 2 })
  })

  test('the signal ends a long call', async () => {
    const stop = new AbortController()
    const begun = (progress: unknown) => stop.abort(new Error(`stopped at ${JSON.stringify(progress)}`))
    await expect(call('trigger-long-running-operation', { duration: 60, steps: 600 }, begun, stop.signal)).rejects.toThrow('stopped at')
  })
})
