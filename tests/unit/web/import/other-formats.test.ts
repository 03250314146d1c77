// LibreChat, DeepSeek and Parley: no text is lost in silence, and no turn disappears. All formats: the forms of a time.
import { expect, test } from 'vitest'
import { timeMs } from '../../../../web/features/account/import/formats/fields.ts'
import { jsonFile } from '../../../support/import-files.ts'
import { readConversation, readImport } from '../../../support/read-import.ts'

type Stored = Readonly<Record<string, unknown>>

test('LibreChat: reads thoughts, tools, errors, files and content of a new kind, and a list without ids', async () => {
  const content = [
    { type: 'think', think: 'Tea.' },
    { type: 'tool_call', tool_call: { name: 'execute_code', args: '{"lang":"py","code":"print(2)"}', output: '2' } },
    { type: 'tool_call', tool_call: { name: 'search', args: { q: 'tea' }, output: 'Leaves' } },
    { type: 'text', text: { value: 'Black tea.' } },
    { type: 'error', error: 'Out of credit' },
    { type: 'aura', shade: { name: 'blue' } },
  ]
  const { messages, problems } = await readConversation({
    title: 'Tea',
    messages: [
      { role: 'user', content: 'Which tea?', files: [{ filename: 'cup.jpg' }] },
      { sender: 'Bot', isCreatedByUser: false, content },
      { sender: 'User', isCreatedByUser: true, text: 'Thanks' },
      { sender: 'Bot', text: ':::thinking\nPolite.\n:::\nYou are welcome.' },
      'broken',
    ],
  })
  expect(messages.map(({ text }) => text)).toEqual([
    '[cup.jpg]\n\nWhich tea?',
    '```py\nprint(2)\n```\n\n```\n2\n```\n\nBlack tea.\n\nOut of credit',
    'Thanks',
    'You are welcome.',
  ])
  expect(messages.flatMap(({ reasoning }) => reasoning ?? [])).toEqual(['Tea.\n\n`search: {"q":"tea"}`', 'Polite.'])
  expect(problems).toEqual([
    { reason: 'file_left_out', turns: [1] },
    { reason: 'tool_results', turns: [2] },
    { reason: 'unknown_content', turns: [2] },
    { reason: 'damaged', turns: [4] },
  ])
})

test('LibreChat: reads artifacts in the text, files of tools, and parts that are texts', async () => {
  const artifact = ':::artifact{identifier="x" type="text/html" title="Page"}\n```html\n<b>hi</b>\n```\n:::\nThere.'
  const { messages, problems } = await readConversation({
    title: 'Page',
    messages: [
      { role: 'user', content: ['Make', 'a page'] },
      { sender: 'Bot', text: artifact, attachments: [{ filename: 'plot.png' }], reasoning: { content: 'Easy.' } },
    ],
  })
  expect(messages.map(({ text }) => text)).toEqual(['Make\n\na page', '[plot.png]\n\n`Page`\n\n```html\n<b>hi</b>\n```\n\nThere.'])
  expect(messages[1]?.reasoning).toBe('Easy.')
  expect(problems).toEqual([{ reason: 'file_left_out', turns: [2] }])
})

test('DeepSeek: reads a message with more search results than a call has arguments', async () => {
  const results = Array.from({ length: 200_000 }, () => ({}))
  const mapping = {
    root: { parent: null, message: null },
    1: { parent: 'root', message: { inserted_at: '2025-10-17T19:14:00Z', fragments: [{ type: 'REQUEST', content: 'Paris?' }] } },
    2: {
      parent: '1',
      message: {
        inserted_at: '2025-10-17T19:15:00Z',
        fragments: [
          { type: 'SEARCH', results },
          { type: 'RESPONSE', content: 'Lovely.' },
        ],
      },
    },
  }
  const { threads } = await readImport([
    jsonFile(JSON.stringify([{ id: 'd3', title: 'Long', inserted_at: '2025-10-17T19:13:56Z', mapping }])),
  ])
  expect(threads[0]?.messages.map(({ text }) => text)).toEqual(['Paris?', 'Lovely.'])
})

test('DeepSeek: reads branches, thoughts, searches, files and the older form without fragments', async () => {
  const node = (parent: string | null, inserted_at: string, fields: Stored | null): Stored => ({
    parent,
    message: fields && { model: 'deepseek-reasoner', inserted_at, files: [], ...fields },
  })
  const request = (content: string) => ({ fragments: [{ type: 'REQUEST', content }] })
  const { threads, problems } = await readImport([
    jsonFile(
      JSON.stringify([
        {
          id: 'd1',
          title: 'Move',
          inserted_at: '2025-10-17T19:13:56.455000+08:00',
          updated_at: '2025-10-17T19:14:36.376000+08:00',
          mapping: {
            root: { parent: null, message: null },
            1: node('root', '2025-10-17T19:14:00.000000+08:00', request('Paris?')),
            2: node('1', '2025-10-17T19:14:05.000000+08:00', { fragments: [{ type: 'RESPONSE', content: 'Lovely.' }] }),
            3: node('root', '2025-10-17T19:15:00.004000+08:00', {
              ...request('Lisbon?'),
              files: [{ file_name: 'map.pdf' }, { file_name: 'plan.txt', content: 'Day 1' }],
            }),
            // Stamped before its question.
            4: node('3', '2025-10-17T19:15:00.000000+08:00', {
              fragments: [
                { type: 'THINK', content: 'Portugal.' },
                { type: 'SEARCH', results: [{ url: 'https://l.example/', title: 'Lisbon', snippet: 'A city' }] },
                { type: 'RESPONSE', content: 'Sunny.' },
              ],
            }),
          },
        },
        {
          id: 'd2',
          title: 'Older',
          inserted_at: '2025-03-01T00:00:00Z',
          mapping: {
            root: { parent: null, message: null },
            1: node('root', '2025-03-01T00:00:00Z', { content: 'Hi', reasoning_content: null }),
            2: node('1', '2025-03-01T00:00:01Z', { content: 'Hello', reasoning_content: 'A greeting' }),
          },
        },
      ]),
    ),
  ])
  const [move, older] = threads
  expect(move?.messages.map(({ text }) => text)).toEqual([
    'Paris?',
    'Lovely.',
    '[map.pdf]\n\n[plan.txt]\n\n```\nDay 1\n```\n\nLisbon?',
    'Sunny.',
  ])
  expect(move).toMatchObject({ title: 'Move', headId: move?.messages[3]?.id, createdAt: Date.parse('2025-10-17T11:13:56.455Z') })
  expect(move?.messages[3]).toMatchObject({
    reasoning: 'Portugal.\n\n([Lisbon](https://l.example/))',
    model: { name: 'deepseek-reasoner', icon: 'deepseek' },
  })
  expect(older?.messages).toMatchObject([
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: 'Hello', reasoning: 'A greeting' },
  ])
  expect(problems).toEqual([
    { title: 'Move', reason: 'file_left_out', turns: [1] },
    { title: 'Move', reason: 'tool_results', turns: [2] },
  ])
})

test('Parley: keeps the calls and sources of another account, and counts the results', async () => {
  const row = (id: string, parentId: string | null, role: string, parts: readonly unknown[]) => ({
    ...{ id, threadId: 'thread-of-bob-00001', parentId, createdAt: 1_760_000_000_000, deletedAt: null },
    message: { id, role, parts, metadata: {} },
  })
  const { threads, problems } = await readImport([
    jsonFile(
      JSON.stringify({
        product: 'Parley',
        threads: [{ id: 'thread-of-bob-00001', title: 'Looms', createdAt: 1, updatedAt: 2, archivedAt: null, deletedAt: null }],
        messages: [
          row('question-of-bob-0001', null, 'user', [
            { type: 'file', url: 'https://x.example/a', mediaType: 'image/png', filename: 'a.png', sizeBytes: 1 },
          ]),
          row('answer-of-bob-000001', 'question-of-bob-0001', 'assistant', [
            { type: 'step-start' },
            { type: 'tool-search', toolCallId: '1', state: 'output-available', input: { query: 'looms' }, output: [{ title: 'Loom' }] },
            { type: 'text', text: 'They weave.' },
            { type: 'source-url', sourceId: '1', url: 'https://loom.example/', title: 'Loom' },
          ]),
          row('question-of-bob-0002', 'answer-of-bob-000001', 'user', [{ type: 'text', text: 'Go on' }]),
          row('answer-of-bob-000002', 'question-of-bob-0002', 'assistant', []),
        ],
      }),
    ),
  ])
  expect(threads[0]?.messages.map(({ text }) => text)).toEqual([
    '[a.png]',
    'They weave.\n\n([Loom](https://loom.example/))',
    'Go on',
    '[…]',
  ])
  expect(threads[0]?.messages[1]?.reasoning).toBe('`search: {"query":"looms"}`')
  expect(problems).toEqual([
    { title: 'Looms', reason: 'file_left_out', turns: [1] },
    { title: 'Looms', reason: 'tool_results', turns: [2] },
  ])
})

test.each([
  [1_750_000_001, '2025-06-15T15:06:41.000Z'],
  [1_750_000_001.5, '2025-06-15T15:06:41.500Z'],
  [1_750_000_001_250, '2025-06-15T15:06:41.250Z'],
  [1_750_000_001_250_000, '2025-06-15T15:06:41.250Z'],
  [1_750_000_001_250_000_000, '2025-06-15T15:06:41.250Z'],
  ['1750000001', '2025-06-15T15:06:41.000Z'],
  [' 1750000001.5 ', '2025-06-15T15:06:41.500Z'],
  ['1750000001250000000', '2025-06-15T15:06:41.250Z'],
  ['2025-06-15T17:06:41.250000123+02:00', '2025-06-15T15:06:41.250Z'],
  ['2025-06-15 15:06:41.25', '2025-06-15T15:06:41.250Z'],
  ['2025-06-15T15:06:41', '2025-06-15T15:06:41.000Z'],
  ['2025-06-15', '2025-06-15T00:00:00.000Z'],
  ['yesterday', null],
  [-1, null],
  ['', null],
  [1e30, null],
])('reads the time %j', (value, expected) => {
  const ms = timeMs(value)
  expect(ms === null ? null : new Date(ms).toISOString()).toBe(expected)
})
