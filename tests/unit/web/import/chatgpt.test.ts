// ChatGPT: no text of an answer is lost in silence, and no turn disappears. An omitted text is a problem with its place.
import { expect, test } from 'vitest'
import { zipFile } from '../../../support/import-files.ts'
import { chatGptConversation, readConversation, readImport, said, uploadsOf } from '../../../support/read-import.ts'
import { pngOf } from '../../../support/sample-files.ts'

type Stored = Readonly<Record<string, unknown>>

const ask = said('user', 'Question')

const call = (recipient: string, text: string, content_type = 'code'): Stored => ({
  author: { role: 'assistant' },
  recipient,
  content: { content_type, language: 'unknown', text },
})

test('keeps canvas documents, their changes and their comments, in their order', async () => {
  const confirmed = { ...said('tool', 'Successfully created text document'), author: { role: 'tool', name: 'canmore.create_textdoc' } }
  const { messages, problems } = await readConversation(
    chatGptConversation([
      ask,
      said('assistant', 'Here:'),
      call('canmore.create_textdoc', JSON.stringify({ name: 'Poem', type: 'document', content: 'ROSES\n```\nred\n```' })),
      confirmed,
      call('canmore.update_textdoc', JSON.stringify({ updates: [{ pattern: 'ROSES', multiple: false, replacement: 'TULIPS' }] })),
      call('canmore.update_textdoc', JSON.stringify({ updates: [{ pattern: '.*', multiple: false, replacement: 'ALL NEW' }] })),
      call('canmore.comment_textdoc', JSON.stringify({ comments: [{ pattern: 'NEW', comment: 'Say newer.' }] })),
      call('canmore.create_textdoc', '{"name":"cut off","content":"HALF'),
      said('assistant', 'Done.'),
    ]),
  )
  expect(messages[1]?.text).toBe(
    [
      ...['Here:', '`Poem`', '````markdown\nROSES\n```\nred\n```\n````', '```diff\n-ROSES\n+TULIPS\n```', '```\nALL NEW\n```'],
      ...['`NEW`: Say newer.', '```\n{"name":"cut off","content":"HALF\n```', 'Done.'],
    ].join('\n\n'),
  )
  expect(problems).toEqual([])
})

test('keeps code, what it printed, the diagrams that it drew, and errors', async () => {
  const file = await zipFile({
    'conversations.json': JSON.stringify([
      chatGptConversation([
        ask,
        call('python', 'print(6 * 7)'),
        {
          author: { role: 'tool', name: 'python' },
          content: { content_type: 'execution_output', text: '42' },
          metadata: { aggregate_result: { messages: [{ message_type: 'image', image_url: 'file-service://file-Chart1' }] } },
        },
        { author: { role: 'assistant' }, content: { content_type: 'code', language: 'json', text: '{"to": "all"}' } },
        {
          author: { role: 'tool', name: 'browser' },
          content: { content_type: 'system_error', name: 'ChatGPTAgentToolException', text: 'Timed out' },
        },
      ]),
    ]),
    'file-Chart1-abc.png': pngOf(2, 2),
  })
  const all = await readImport([file])
  const { threads, problems } = all
  expect(threads[0]?.messages[1]?.text).toBe(
    '```python\nprint(6 * 7)\n```\n\n```\n42\n```\n\n```json\n{"to": "all"}\n```\n\nChatGPTAgentToolException: Timed out',
  )
  expect([uploadsOf(all), problems]).toEqual([['file-Chart1-abc.png'], []])
})

test('calls of other tools are reasoning; their results and hidden texts are counted with their place', async () => {
  const { messages, problems } = await readConversation(
    chatGptConversation([
      said('system', 'Be nice', { metadata: { is_visually_hidden_from_conversation: true } }),
      { author: { role: 'user' }, content: { content_type: 'user_editable_context', user_profile: 'Ada', user_instructions: 'Short' } },
      ask,
      {
        author: { role: 'assistant' },
        content: { content_type: 'thoughts', thoughts: [{ summary: 'Looking', content: 'I look it up.' }] },
      },
      call('web', 'search("bridge")'),
      { author: { role: 'tool', name: 'web' }, content: { content_type: 'tether_browsing_display', result: 'A long page', summary: '' } },
      { author: { role: 'assistant' }, content: { content_type: 'reasoning_recap', content: 'Thought for 4s' } },
      said('assistant', 'Found.'),
    ]),
  )
  expect(messages).toEqual([
    { role: 'user', text: 'Question', model: undefined },
    {
      role: 'assistant',
      text: 'Found.',
      reasoning: '**Looking**\n\nI look it up.\n\n`web: search("bridge")`\n\nThought for 4s',
      model: undefined,
    },
  ])
  expect(problems).toEqual([
    { reason: 'hidden_text', turns: [1] },
    { reason: 'tool_results', turns: [2] },
  ])
})

test('a turn with only tools, or without any text, stays', async () => {
  const { messages } = await readConversation(
    chatGptConversation([
      ask,
      call('bio', 'User lives in Rome'),
      said('user', 'And now?'),
      said('assistant', ''),
      said('user', ''),
      said('assistant', 'Hello?'),
    ]),
  )
  expect(messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: Question',
    'assistant: `bio`',
    'user: And now?',
    'assistant: […]',
    'user: […]',
    'assistant: Hello?',
  ])
  expect(messages[1]?.reasoning).toBe('`bio: User lives in Rome`')
})

test('an empty step above two answers does not become a turn', async () => {
  const conversation = chatGptConversation([ask, said('assistant', ''), said('assistant', 'One')]) as { mapping: Record<string, unknown> }
  conversation.mapping.other = { id: 'other', parent: 'n1', message: said('assistant', 'Two') }
  const { messages } = await readConversation(conversation)
  expect(messages.map(({ text }) => text)).toEqual(['Question', 'One', 'Two'])
})

test('keeps the words of a spoken conversation, and counts the recordings', async () => {
  const spoken = (role: string, text: string, direction: string): Stored => ({
    author: { role },
    content: {
      content_type: 'multimodal_text',
      parts: [
        { content_type: 'audio_transcription', text, direction, decoding_id: null },
        { content_type: 'real_time_user_audio_video_asset_pointer', audio_asset_pointer: { asset_pointer: 'sediment://file_1' } },
      ],
    },
  })
  const { messages, problems } = await readConversation(
    chatGptConversation([spoken('user', 'Hello there', 'in'), spoken('assistant', 'Hi!', 'out')]),
  )
  expect(messages.map(({ text }) => text)).toEqual(['Hello there', 'Hi!'])
  expect(problems).toEqual([{ reason: 'file_left_out', turns: [1, 2] }])
})

test('keeps the names of uploaded files, and gives an image the name of its upload', async () => {
  const conversation = chatGptConversation([
    {
      author: { role: 'user' },
      content: {
        content_type: 'multimodal_text',
        parts: [
          { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_0001' },
          { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_gone' },
          'Compare',
        ],
      },
      metadata: {
        attachments: [
          { id: 'file_0001', name: 'cat.png', mime_type: 'image/png' },
          { id: 'file_gone', name: 'dog.png', mime_type: 'image/png' },
          { id: 'file-9', name: 'report.pdf', mimeType: 'application/pdf' },
        ],
      },
    },
    said('assistant', 'Done.'),
  ])
  const file = await zipFile({ 'conversations-000.json': JSON.stringify([conversation]), 'file_0001-sanitized.png': pngOf(2, 2) })
  const all = await readImport([file])
  const { threads, problems } = all
  expect(uploadsOf(all)).toEqual(['cat.png'])
  expect(threads[0]?.messages[0]?.text).toBe('[dog.png]\n\n[report.pdf]\n\nCompare')
  expect(problems).toEqual([
    { title: 'Talk', reason: 'file_left_out', turns: [1] },
    { title: 'Talk', reason: 'image_missing', turns: [1], names: ['dog.png'] },
  ])
})

test('takes the model from the message, then from its default, then from the conversation', async () => {
  const { messages } = await readConversation(
    chatGptConversation(
      [
        ask,
        said('assistant', 'One', { metadata: { model_slug: 'o3' } }),
        ask,
        said('assistant', 'Two', { metadata: { default_model_slug: 'gpt-4o' } }),
        ask,
        { author: { role: 'assistant' }, content: { content_type: 'text', parts: ['Three'] }, metadata: undefined },
      ],
      { default_model_slug: 'gpt-5' },
    ),
  )
  expect(messages.flatMap(({ model }) => model ?? [])).toEqual(['o3', 'gpt-4o', 'gpt-5'])
})

test('keeps the texts of content of an unknown kind, and counts what has none', async () => {
  const { messages, problems } = await readConversation(
    chatGptConversation([
      ask,
      { author: { role: 'assistant' }, content: { content_type: 'super_widget', payload: { caption: 'Weather: sunny' } } },
      { author: { role: 'assistant' }, content: { content_type: 'dial', position: 7 } },
      { author: { role: 'user' }, content: { content_type: 'multimodal_text', parts: [{ content_type: 'spell', cast: true }, 'Words'] } },
      { words: 'no message at all' },
    ]),
  )
  expect(messages.map(({ text }) => text)).toEqual(['Question', 'Weather: sunny', 'Words'])
  expect(problems).toEqual([
    { reason: 'unknown_content', turns: [2, 3] },
    { reason: 'damaged', turns: [3] },
  ])
})

test('a node that does not name its parent is below the node that names it as a child', async () => {
  const at = (message: Stored | null, children: readonly string[]) => ({ children, message })
  const { messages } = await readConversation({
    title: 'Talk',
    current_node: 'c',
    mapping: { a: at(null, ['b']), c: at(said('assistant', 'Answer'), []), b: at(ask, ['c']) },
  })
  expect(messages.map(({ text }) => text)).toEqual(['Question', 'Answer'])
})
