// Open WebUI: elements in the text, the newer `output`, errors, files and sources.
import { expect, test } from 'vitest'
import { readConversation } from '../../../support/read-import.ts'

type Stored = Readonly<Record<string, unknown>>

const webUi = (messages: readonly Stored[], chat: Stored = {}): Stored => ({
  id: 'w',
  title: 'Chat',
  created_at: 1_750_000_000,
  updated_at: 1_750_000_100,
  chat: {
    title: 'Chat',
    models: ['llama3'],
    history: {
      messages: Object.fromEntries(
        messages.map((message, at) => [
          `w${at}`,
          {
            id: `w${at}`,
            parentId: at === 0 ? null : `w${at - 1}`,
            role: at % 2 === 0 ? 'user' : 'assistant',
            content: '',
            timestamp: 1_750_000_000 + at,
            ...message,
          },
        ]),
      ),
      currentId: `w${messages.length - 1}`,
    },
    ...chat,
  },
})
const reasoning = (words: string): string =>
  `<details type="reasoning" done="true" duration="1">\n<summary>Thought</summary>\n&gt; ${words}\n</details>\n`

test('reads every element of reasoning, tools and code, and leaves those in code blocks', async () => {
  const tool = `<details type="tool_calls" done="true" id="t" name="weather" arguments="&quot;{\\&quot;city\\&quot;: \\&quot;Rome\\&quot;}&quot;" result="&quot;sunny&quot;" files="">\n<summary>Tool Executed</summary>\n</details>\n`
  const code =
    '<details type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;7\\n&quot;}">\n<summary>Analyzed</summary>\n```python\nprint("</details>", 3 + 4)\n```\n</details>\n'
  const quoted = `\`\`\`html\n${reasoning('In a code block')}\`\`\``
  const { messages, problems } = await readConversation(
    webUi([
      { content: reasoning('Typed by the user') },
      { content: `${reasoning('One &amp; two.')}Start.\n${tool}${reasoning('Three.')}${code}${quoted}\nEnd <details>.` },
    ]),
  )
  expect(messages[0]?.text).toBe(`${reasoning('Typed by the user').trim()}\n`)
  expect(messages[1]).toEqual({
    role: 'assistant',
    reasoning: 'One & two.\n\n`weather: {"city":"Rome"}`\n\nThree.',
    text: `Start.\n\n\`\`\`python\nprint("</details>", 3 + 4)\n\`\`\`\n\n\`\`\`\n7\n\`\`\`\n\n${quoted}\nEnd <details>.`,
    model: 'llama3',
  })
  expect(problems).toEqual([{ reason: 'tool_results', turns: [2] }])
})

test('an element without an end hides nothing', async () => {
  const { messages } = await readConversation(
    webUi([
      { content: 'Q' },
      { content: '<details type="reasoning" done="false">\n<summary>Thinking…</summary>\n&gt; Half a thought\nThe answer' },
    ]),
  )
  expect(messages[1]).toMatchObject({ reasoning: 'Half a thought', text: 'The answer' })
})

test('reads `output`, errors, files, and the sources of an answer', async () => {
  const { messages, problems } = await readConversation(
    webUi([
      {
        content: 'Hello',
        files: [
          { type: 'image', url: '5b1f0000-0000-4000-8000-000000000001', name: 'cat.png' },
          { type: 'file', name: 'notes.txt', file: { filename: 'notes.txt', data: { content: 'the notes' } } },
          { type: 'collection', name: 'Handbook' },
        ],
      },
      {
        output: [
          { type: 'reasoning', summary: [], content: [{ type: 'output_text', text: 'A greeting.' }] },
          { type: 'function_call', call_id: '1', name: 'clock', arguments: '{}' },
          { type: 'function_call_output', call_id: '1', output: [{ type: 'input_text', text: 'noon' }] },
          { type: 'open_webui:code_interpreter', code: 'print(1)', lang: 'python', output: { stdout: '1' } },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello from the output.' }] },
        ],
      },
      { content: 'Again' },
      { error: { content: 'The model is not available.' } },
      { content: 'Once more' },
      {
        content: 'From [1].',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'From [1].' }] }],
        sources: [{ source: { name: 'Guide', url: 'https://g.example/' }, document: ['A retrieved text'], metadata: [] }],
      },
    ]),
  )
  expect(messages.map(({ text }) => text)).toEqual([
    '[cat.png]\n\n[notes.txt]\n\n```\nthe notes\n```\n\n[Handbook]\n\nHello',
    '```python\nprint(1)\n```\n\n```\n1\n```\n\nHello from the output.',
    'Again',
    'The model is not available.',
    'Once more',
    'From [1].\n\n1. [Guide](https://g.example/)',
  ])
  expect(messages[1]?.reasoning).toBe('A greeting.\n\n`clock`')
  expect(problems).toEqual([
    { reason: 'file_left_out', turns: [1] },
    { reason: 'tool_results', turns: [2, 6] },
    { reason: 'image_missing', turns: [1], names: ['cat.png'] },
  ])
})

test('a message of another role or without a form keeps the branch together, and hidden instructions are counted', async () => {
  const { messages, problems } = await readConversation(
    webUi(
      [
        { role: 'system', content: 'Be nice' },
        { role: 'user', content: 'Q' },
        { role: 'tool', content: 'found' },
        { role: 'assistant', content: 'A' },
      ],
      {
        params: { system: 'Be short' },
      },
    ),
  )
  expect(messages.map(({ role, text }) => `${role}: ${text}`)).toEqual(['user: Q', 'assistant: A'])
  expect(problems).toEqual([
    { reason: 'hidden_text', turns: [1] },
    { reason: 'tool_results', turns: [1] },
  ])
})

test('reads thoughts at the start of an answer, and the answer made of several', async () => {
  const { messages } = await readConversation(
    webUi([
      { content: '<think>typed by the user</think>' },
      { content: '<think>\nHm.\n</think>\n\nWrite `<think>` first.', merged: { status: true, content: 'All agree.' } },
      { content: 'Go on' },
      { content: '```\n<think>in code</think>\n```' },
    ]),
  )
  expect(messages.map(({ text, reasoning }) => [text, reasoning])).toEqual([
    ['<think>typed by the user</think>', undefined],
    ['Write `<think>` first.\n\nAll agree.', 'Hm.'],
    ['Go on', undefined],
    ['```\n<think>in code</think>\n```', undefined],
  ])
})

test('reads elements whose type is not their first attribute, code that a tool has run, and refusals', async () => {
  const { messages, problems } = await readConversation(
    webUi([
      { content: 'Question' },
      {
        content: `${reasoning('Hm.').replace('<details', '<details id="d"')}Answer`,
        code_executions: [{ id: 'e', name: 'Sum', code: '3 + 4', language: 'python', result: { output: '7', error: null } }, 5],
      },
      { content: 'Another' },
      { output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I cannot help.' }] }] },
      { content: 'A third' },
      { output: [{ type: 'message', content: [{ type: 'output_audio', transcript: 'Spoken' }] }] },
    ]),
  )
  expect(messages[1]).toMatchObject({ reasoning: 'Hm.', text: 'Answer\n\n```python\n3 + 4\n```\n\n```\n7\n```' })
  expect(messages[3]?.text).toBe('I cannot help.')
  expect(problems).toEqual([{ reason: 'unknown_content', turns: [2, 6] }])
})
