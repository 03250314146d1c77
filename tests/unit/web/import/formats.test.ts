// The formats of an import: what becomes of the sample files.
import { describe, expect, test } from 'vitest'
import { maxImportMessages } from '../../../../worker/contract/limits.ts'
import type { ImportedMessage, ImportedThread } from '../../../../worker/contract/threads/import-args.ts'
import { chatGptArchive, jsonFile, manyConversations, sampleText, zipFile } from '../../../support/import-files.ts'
import { importNowMs, readImport } from '../../../support/read-import.ts'

/** The messages on the shown branch: role and text. */
function shown({ messages, headId }: ImportedThread): readonly string[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const path: ImportedMessage[] = []
  for (let at = byId.get(headId); at; at = at.parentId === null ? undefined : byId.get(at.parentId)) path.unshift(at)
  return path.map(({ role, text }) => `${role}: ${text}`)
}

describe('ChatGPT', () => {
  test('keeps branches, the shown branch, models, dates and reasoning, and joins the steps of an answer', async () => {
    const [sky] = (await readImport([await chatGptArchive()])).threads
    expect(sky).toMatchObject({ title: 'Color of the sky', createdAt: 1_712_000_000_000, updatedAt: 1_712_000_301_500 })
    expect(sky && shown(sky)).toEqual([
      'user: Why is the sky blue?',
      'assistant: Air scatters short wavelengths more.',
      'user: What about Mars?',
      'assistant: Its dust makes the sky butterscotch.',
    ])
    expect(sky?.messages).toHaveLength(7)
    const answers = sky?.messages.filter(({ role }) => role === 'assistant')
    expect(answers?.map(({ model }) => model?.name)).toEqual(['o3', 'gpt-4o', 'gpt-4o', 'gpt-4o'])
    expect(answers?.[0]).toMatchObject({
      reasoning: '**Physics**\n\nRayleigh scattering explains it.\n\n`web: search("sky blue")`',
      model: { icon: 'openai' },
    })
  })

  test('finds images in the archive, lists the missing one, and skips broken and empty entries', async () => {
    const { threads, files, problems } = await readImport([await chatGptArchive()])
    const picture = threads.find(({ title }) => title === 'A picture')
    expect(picture).toMatchObject({ isArchived: true })
    expect(files.map((file) => 'upload' in file && [file.upload.mediaType, file.upload.name])).toEqual([
      ['image/png', 'file_00000000abcd-sanitized.png'],
      ['image/png', 'file-Drawn1234-0b1c.webp'],
    ])
    expect(picture?.messages.map(({ id }) => id)).toEqual(expect.arrayContaining(files.map(({ messageId }) => messageId)))
    expect(problems).toEqual([
      { title: 'Color of the sky', reason: 'tool_results', turns: [2] },
      { title: 'Color of the sky', reason: 'sources_missing', turns: [2] },
      { title: 'A picture', reason: 'image_missing', turns: [3] },
      { title: 'Broken', reason: 'damaged' },
      { title: 'Nothing', reason: 'empty' },
    ])
  })
})

test('Claude: keeps dates, reasoning and the text of attachments; a thread without a name is named after its first message', async () => {
  const { threads, problems } = await readImport([jsonFile(sampleText('claude-conversations'))])
  const [bread, tries] = threads
  expect(problems).toEqual([{ title: 'Sourdough', reason: 'file_left_out', turns: [1] }])
  expect(bread && shown(bread)).toEqual([
    'user: [notes.txt]\n\n```\nFlour, water.\n```\n\n[jar.png]\n\nHow do I keep a starter alive?',
    'assistant: Feed it daily.\n\nKeep it warm.',
    'user: And in the fridge?',
    'assistant: Weekly is enough.',
  ])
  expect(bread?.messages[1]).toMatchObject({
    reasoning: 'The user bakes.\n\n`artifacts`',
    model: { icon: 'anthropic' },
    createdAt: Date.parse('2025-03-01T10:00:09Z'),
  })
  expect(tries?.title).toBe('First try')
  expect(tries && shown(tries)).toEqual(['user: Second try', 'assistant: Answer to the second try'])
  expect(tries?.messages.filter(({ parentId }) => parentId === null)).toHaveLength(2)
})

test('LibreChat: reads the tree and the flat list', async () => {
  const { threads } = await readImport([jsonFile(sampleText('librechat-tree')), jsonFile(sampleText('librechat-flat'))])
  const [tree, flat] = threads
  expect(tree && shown(tree)).toEqual([
    'user: Which tea wakes me up?',
    'assistant: Black tea.',
    'user: With milk?',
    'assistant: As you like.',
  ])
  expect(tree?.messages.map(({ model }) => model?.name)).toEqual([undefined, 'gpt-4o', undefined, 'deepseek-r1', 'claude-3-5-sonnet'])
  expect(tree?.messages.find(({ text }) => text === 'As you like.')).toMatchObject({ reasoning: 'Milk is a matter of taste.' })
  expect(flat && shown(flat)).toEqual(['user: Which tea helps me sleep?', 'assistant: Chamomile.'])
})

test('Open WebUI: keeps the answers of several models, reasoning and images', async () => {
  const { threads, files } = await readImport([jsonFile(sampleText('open-webui'))])
  const [pixel, old] = threads
  expect(pixel && shown(pixel)).toEqual([
    'user: Describe this image',
    'assistant: A single pixel.',
    'user: Which color?',
    'assistant: Red.',
  ])
  expect(pixel?.messages.find(({ text }) => text === 'A single pixel.')).toMatchObject({
    reasoning: 'One pixel.\nVery small.',
    model: { name: 'Qwen 2.5', icon: 'qwen' },
  })
  expect(pixel?.messages).toHaveLength(5)
  expect(files).toMatchObject([{ upload: { mediaType: 'image/png', name: 'dot.png' } }])
  expect(old).toMatchObject({ title: 'Old list', isArchived: true })
  expect(old && shown(old)).toEqual(['user: Hello', 'assistant: Hi!'])
})

describe('Parley', () => {
  const file = () => jsonFile(sampleText('parley'), 'parley.json')

  test('leaves out what is deleted, and keeps the ids for the user who exported', async () => {
    const { threads, files } = await readImport([file()], { userId: 'exporting-user-0001' })
    expect(threads.map(({ id }) => id)).toEqual(['thread-of-ada-0001'])
    expect(threads.flatMap(shown)).toEqual([
      'user: What does the engine do?',
      'assistant: The engine computes.',
      'user: And the loom?',
      'assistant: It weaves patterns.',
    ])
    expect(threads[0]?.messages).toHaveLength(4)
    expect(threads[0]?.messages[1]).toMatchObject({
      id: 'answer-of-ada-0001',
      reasoning: 'An engine?',
      model: { id: 'kimi-k2', icon: 'moonshot' },
    })
    expect(files).toMatchObject([{ messageId: 'question-ada-0001', stored: { id: 'file-of-ada-000001', name: 'engine.png' } }])
  })

  test('gives another user other ids', async () => {
    const [thread] = (await readImport([file()])).threads
    expect(thread?.id).toMatch(/^[A-Za-z0-9_-]{21}$/)
  })
})

test('the same file gives the same ids, and another user other ids', async () => {
  const idsOf = async (userId: string) => (await readImport([jsonFile(sampleText('open-webui'))], { userId })).threads.map(({ id }) => id)
  expect(await idsOf('user-1')).toEqual(await idsOf('user-1'))
  expect(await idsOf('user-1')).not.toEqual(await idsOf('user-2'))
})

test('a batch has at most 25 threads', async () => {
  expect((await readImport([jsonFile(manyConversations(60, 2))])).sizes).toEqual([25, 25, 10])
})

test('splits a long thread, so that each part has its parents, a head of its own and a later time than the part before', async () => {
  const { threads } = await readImport([jsonFile(manyConversations(1, 500))])
  expect(threads.map(({ messages }) => messages.length)).toEqual(Array.from({ length: 1000 / maxImportMessages }, () => maxImportMessages))
  const known = new Set<string>()
  for (const { messages, headId } of threads) {
    for (const { id, parentId } of messages) {
      expect(parentId === null || known.has(parentId)).toBe(true)
      known.add(id)
    }
    expect(headId).toBe(messages.at(-1)?.id)
  }
  const times = threads.map(({ updatedAt }) => updatedAt)
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
})

test('shortens a text that is too long, and moves dates of the future before now', async () => {
  const text = JSON.stringify([
    {
      uuid: 'long',
      name: 'Long',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2030-01-01T00:00:00Z',
      chat_messages: [
        { uuid: 'l1', sender: 'human', text: '語'.repeat(150_000), content: [], created_at: '2030-01-01T00:00:00Z' },
        { uuid: 'l2', sender: 'assistant', text: 'Short', content: [], created_at: '2030-01-01T00:00:00Z' },
      ],
    },
  ])
  const { threads, problems } = await readImport([jsonFile(text)])
  expect(problems).toEqual([{ title: 'Long', reason: 'text_shortened', turns: [1] }])
  const [question, answer] = threads[0]?.messages ?? []
  expect(question?.text).toHaveLength(100_000)
  expect([question?.createdAt, answer?.createdAt]).toEqual([importNowMs - 1, importNowMs])
  expect(threads[0]?.updatedAt).toBe(importNowMs)
})

test('reads what comes before the damage of a file', async () => {
  const { threads, problems } = await readImport([jsonFile(manyConversations(3, 1).slice(0, -200))])
  expect(threads.map(({ title }) => title)).toEqual(['Thread 0', 'Thread 1'])
  expect(problems).toEqual([{ title: 'conversations.json', reason: 'file_damaged' }])
})

test('reads a text of many fences, and many marks and elements that do not end, in linear time', async () => {
  const attachments = [{ file_name: 'notes.md', extracted_content: '```a'.repeat(300_000) }]
  const claude = [{ name: 'Fences', chat_messages: [{ uuid: 'one', sender: 'human', text: '', attachments }] }]
  expect((await readImport([jsonFile(JSON.stringify(claude))])).problems).toEqual([
    { title: 'Fences', reason: 'text_shortened', turns: [1] },
  ])
  const message = { author: { role: 'assistant' }, content: { content_type: 'text', parts: ['【1†\uE200'.repeat(100_000)] } }
  const chatGpt = [{ title: 'Marks', mapping: { one: { parent: null, message } } }]
  const { threads } = await readImport([jsonFile(JSON.stringify(chatGpt))])
  expect(threads[0]?.messages[0]?.text.slice(0, 6)).toBe('【1†【1†')
  const elements = [
    { name: 'Elements', chat_messages: [{ sender: 'assistant', text: `${'<antArtifact title="a">'.repeat(100_000)}</ant` }] },
  ]
  expect((await readImport([jsonFile(JSON.stringify(elements))])).threads[0]?.messages[0]?.text.slice(0, 12)).toBe('<antArtifact')
})

test('names files that it cannot read', async () => {
  const { problems } = await readImport([
    jsonFile('{"hello": 1}', 'hello.json'),
    jsonFile('42', 'number.json'),
    jsonFile('', 'empty.json'),
    jsonFile('not json', 'text.json'),
    await zipFile({ 'readme.txt': 'nothing' }, 'other.zip'),
    new File(['PK\x03\x04 and no archive'], 'broken.zip'),
    jsonFile('[{"title": "Liked a video"}, {"title": "Watched a video"}, 3]', 'MyActivity.json'),
    await zipFile({ 'Takeout/Chat/Groups/info.json': '{"name": "group"}', 'Takeout/archive_browser.html': '<html>' }, 'takeout.zip'),
    jsonFile('{"log": {"version": "1.2", "entries": []}}', 'session.har'),
    jsonFile('{"id": "user", "email": "ada@example.com"}', 'user.json'),
  ])
  expect(problems).toEqual([
    { title: 'hello.json', reason: 'unknown_format' },
    { title: 'number.json', reason: 'unknown_format' },
    { title: 'empty.json', reason: 'file_damaged' },
    { title: 'text.json', reason: 'file_damaged' },
    { title: 'other.zip', reason: 'unknown_format' },
    { title: 'broken.zip', reason: 'file_damaged' },
    { title: 'MyActivity.json', reason: 'unknown_format', count: 3 },
    { title: 'Takeout/Chat/Groups/info.json', reason: 'unknown_format' },
    { title: 'session.har', reason: 'unknown_format' },
    { title: 'user.json', reason: 'unknown_format' },
  ])
})

test('reads all conversation files of an archive, and names the documents that it leaves out', async () => {
  const part = (title: string) => JSON.stringify([{ name: title, chat_messages: [{ uuid: 'one', sender: 'human', text: title }] }])
  const { threads, problems } = await readImport([
    await zipFile({
      'export/conversations-000.json': part('First'),
      'export/conversations-001.json': part('Second'),
      'export/users.json': '[]',
      'export/projects.json': '[{"docs": []}]',
    }),
    jsonFile(`{"conversations": ${part('Wrapped')}}`, 'wrapped.json'),
  ])
  expect(threads.map(({ title }) => title)).toEqual(['First', 'Second', 'Wrapped'])
  expect(problems).toEqual([{ title: 'export.zip', reason: 'documents_left_out', names: ['export/projects.json'] }])
})
