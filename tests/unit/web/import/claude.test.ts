// Claude: artifacts and files stay where they were written, and no turn disappears.
import { expect, test } from 'vitest'
import { readConversation } from '../../../support/read-import.ts'

type Stored = Readonly<Record<string, unknown>>

const claude = (messages: readonly Stored[]): Stored => ({
  uuid: 'c',
  name: 'Page',
  created_at: '2025-06-01T10:00:00Z',
  updated_at: '2025-06-01T10:10:00Z',
  chat_messages: messages.map((message, at) => ({
    ...{ uuid: `c${at}`, sender: at % 2 === 0 ? 'human' : 'assistant', text: '', content: [], attachments: [], files: [] },
    ...{ created_at: '2025-06-01T10:00:00Z', ...message },
  })),
})
const text = (words: string): Stored => ({ type: 'text', text: words })
const use = (name: string, input: unknown): Stored => ({ type: 'tool_use', name, input })
const result = (name: string, words: string, fields: Stored = {}): Stored => ({
  type: 'tool_result',
  name,
  content: [text(words)],
  ...fields,
})

test('keeps artifacts and files where they were written, and turns with only tools', async () => {
  const { messages, problems } = await readConversation(
    claude([
      { text: 'Make a page' },
      {
        text: 'Here it is: Enjoy!',
        content: [
          text('Here it is:'),
          use('artifacts', { id: 'red', type: 'text/html', title: 'Red `box`', command: 'create', content: '<b>RED</b>\n' }),
          result('artifacts', 'OK'),
          use('artifacts', { id: 'red', command: 'update', old_str: 'RED', new_str: 'BLUE' }),
          use('artifacts', {
            id: 'red',
            type: 'application/vnd.ant.code',
            language: 'python',
            command: 'rewrite',
            content: 'print("green")',
          }),
          text('Enjoy!'),
        ],
      },
      { text: 'Only tools' },
      {
        content: [
          use('create_file', { path: '/out/poem.md', file_text: '# ONLY IN THE FILE', description: 'A poem' }),
          result('create_file', 'File created'),
          use('str_replace', { path: '/out/poem.md', old_str: 'ONLY', new_str: '' }),
        ],
      },
      { text: 'Search' },
      { content: [use('web_search', { query: 'bridge' }), result('web_search', 'A page about a bridge')] },
    ]),
  )
  expect(messages.map((message) => message.text)).toEqual([
    'Make a page',
    [
      ...['Here it is:', '`` Red `box` ``', '```html\n<b>RED</b>\n```', '`red`', '```diff\n-RED\n+BLUE\n```'],
      ...['`red`', '```python\nprint("green")\n```', 'Enjoy!'],
    ].join('\n\n'),
    'Only tools',
    '`/out/poem.md` A poem\n\n```md\n# ONLY IN THE FILE\n```\n\n`/out/poem.md`\n\n```diff\n-ONLY\n```',
    'Search',
    '`web_search`',
  ])
  expect(messages[5]?.reasoning).toBe('`web_search: {"query":"bridge"}`')
  expect(problems).toEqual([{ reason: 'tool_results', turns: [6] }])
})

test('reads thoughts, spoken notes, citations, what code printed, and blocks of a new kind', async () => {
  const { messages, problems } = await readConversation(
    claude([
      { content: [{ type: 'voice_note', title: 'Note', text: 'Spoken words' }] },
      {
        content: [
          { type: 'thinking', thinking: 'First.' },
          use('repl', { code: 'console.log(1)' }),
          result('repl', '1'),
          result('web_fetch', 'No such page', { is_error: true }),
          { type: 'thinking', thinking: 'Second.' },
          { ...text('Cited.'), citations: [{ details: { type: 'web_search_citation', url: 'https://c.example/' }, title: 'C' }] },
          { type: 'from_the_future', text: 'New words' },
          { type: 'hologram', body: { words: 'deep' } },
          { type: 'token_budget', remaining: 5 },
          { type: 'flag' },
        ],
      },
    ]),
  )
  expect(messages[0]?.text).toBe('**Note**\n\nSpoken words')
  expect(messages[1]).toMatchObject({
    text: '```\nconsole.log(1)\n```\n\n```\n1\n```\n\n```\nNo such page\n```\n\nCited. ([C](https://c.example/))\n\nNew words',
    reasoning: 'First.\n\nSecond.',
  })
  expect(problems).toEqual([{ reason: 'unknown_content', turns: [2] }])
})

test('reads the words from wherever the message has them', async () => {
  const { messages } = await readConversation(
    claude([
      { content: [text('Only in a block')] },
      { text: 'Only beside thoughts', content: [{ type: 'thinking', thinking: 'Hm.' }] },
      { text: 'Only beside an empty block', content: [text('')], attachments: [{ file_name: 'a.txt', extracted_content: 'PASTED' }] },
      { text: 'In both', content: [text('In both'), { type: 'token_budget' }] },
      { text: 'Beside a broken block', content: [null] },
      { text: 'An excuse', content: [use('repl', {})] },
    ]),
  )
  expect(messages.map((message) => message.text)).toEqual([
    ...['Only in a block', 'Only beside thoughts', '[a.txt]\n\n```\nPASTED\n```\n\nOnly beside an empty block', 'In both'],
    ...['Beside a broken block', '`repl`'],
  ])
})

test('reads the artifacts and thoughts of 2024, which are elements in the text', async () => {
  const { messages } = await readConversation(
    claude([
      { text: 'Draw' },
      {
        text: 'Sure.\n<antThinking>Simple enough.</antThinking>\n<antArtifact identifier="a" type="image/svg+xml" title="Dot"><svg/></antArtifact>\nDone, not <antArtifact>.',
      },
    ]),
  )
  expect(messages[1]).toMatchObject({
    text: 'Sure.\n\n`Dot`\n\n```svg\n<svg/>\n```\n\nDone, not <antArtifact>.',
    reasoning: 'Simple enough.',
  })
})

test('keeps messages whose only content is an attachment, a file name or nothing, and counts a broken one', async () => {
  const conversation = claude([
    { attachments: [{ file_name: '', extracted_content: 'PASTED' }] },
    { content: [] },
    { files: [{ file_uuid: 'f', file_name: 'jar.png' }] },
    { text: 'Nice jar.' },
  ]) as { chat_messages: unknown[] }
  conversation.chat_messages.push(42)
  const { messages, problems } = await readConversation(conversation)
  expect(messages.map((message) => message.text)).toEqual(['[attachment]\n\n```\nPASTED\n```', '[…]', '[jar.png]', 'Nice jar.'])
  expect(problems).toEqual([
    { reason: 'file_left_out', turns: [3] },
    { reason: 'damaged', turns: [4] },
  ])
})

test('keeps two messages with the same id, one below the other', async () => {
  const { messages } = await readConversation(claude([{ uuid: 'same', text: 'One' }, { uuid: 'same', text: 'Two' }, { text: 'Three' }]))
  expect(messages.map(({ role, text: words }) => `${role}: ${words}`)).toEqual(['user: One', 'assistant: Two', 'user: Three'])
})

test.each([
  ['a text block without its text', [{ type: 'text' }]],
  ['a text block that is null', [{ type: 'text', text: null }]],
  ['blocks without content', [{ type: 'token_budget' }, text('')]],
  ['a text in place of blocks', 'The answer'],
])('shows the text of the message beside %s', async (_, content) => {
  const { messages, problems } = await readConversation(claude([{ text: 'Question' }, { text: 'The answer', content }]))
  expect(messages[1]?.text).toBe('The answer')
  expect(problems).toEqual([])
})
