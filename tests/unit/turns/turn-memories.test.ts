// Which facts a question gets, and which text is read for new ones. Rules: worker/turns/SPEC.md, B1 to B4 and B6.
import { describe, expect, test } from 'vitest'
import { memoryText } from '../../../worker/chat/model/prompt.ts'
import { maxMemoryChars, maxPromptMemories, maxPromptMemoryTokens } from '../../../worker/contract/limits.ts'
import { textTokens } from '../../../worker/contract/models/token-estimates.ts'
import type { ReservedTurn } from '../../../worker/db/turns.ts'
import { startCommand } from '../../../worker/turns/turn-commands.ts'
import { chosenMemories, typedText } from '../../../worker/turns/turn-memories.ts'
import { answered, type Given, replicaOf, userId, userRows } from '../sync/replica.ts'

const fact = (id: string, text: string, fields: object = {}) => ({ id, text, createdAt: 1, ...fields })
const chosen = (facts: readonly ReturnType<typeof fact>[], question: string, makers: readonly string[] = ['openai']) =>
  chosenMemories(facts, question, makers, () => true).map(({ id }) => id)

describe('[B2] the chosen facts', () => {
  const dog = fact('dog', 'Has a dog called Rex.')
  const vegan = fact('vegan', 'Eats vegan food.')
  const berlin = fact('berlin', 'Lives in Berlin.', { isPinned: true })

  test('the later one of two that disagree stands below, also after an edit', () => {
    const [older, newer] = [fact('older', 'Lives in Rome.', { createdAt: 1 }), fact('newer', 'Lives in Oslo.', { createdAt: 2 })]
    expect(chosen([newer, older], 'Where do I live?')).toEqual(['older', 'newer'])
    const edited = fact('older', 'Lives in Rome.', { createdAt: 1, editedAt: 3 })
    expect(chosen([newer, edited], 'Where do I live?')).toEqual(['newer', 'older'])
  })

  test.each([
    ['What should I call my dog?', ['berlin', 'dog']],
    ['Which food do dogs like?', ['berlin', 'vegan', 'dog']],
    ['What is a monad?', ['berlin']],
    ['', ['berlin']],
  ])('for %j: the pinned ones, then those with common words', (question, ids) => {
    expect(chosen([dog, vegan, berlin], question).toSorted()).toEqual(ids.toSorted())
  })

  test('words that say nothing about the subject do not count', () => {
    expect(
      chosen([fact('all', 'The user is what you have and it was not for me.')], 'What is it that you have for me, and was it the user?'),
    ).toEqual([])
  })

  test('are few, and the best ones', () => {
    const many = Array.from({ length: 30 }, (_, index) => fact(`tea-${index}`, `Tea number ${index}`, { createdAt: index }))
    const best = fact('best', 'Drinks green tea in the evening.')
    const ids = chosen([...many, best], 'green tea in the evening?')
    expect(ids).toHaveLength(maxPromptMemories)
    expect(ids).toContain('best')
    expect(ids.at(-1)).toBe('tea-29')
  })

  test.each([
    ['of the longest facts in English', 'x', maxPromptMemories],
    ['of the longest facts in Chinese', '茶', 2],
  ])('fit with their heading into what the quote counts: %s', (_, letter, count) => {
    const facts = Array.from({ length: maxPromptMemories }, (__, index) =>
      fact(`fact-${index}`, letter.repeat(maxMemoryChars), { isPinned: true }),
    )
    const given = chosenMemories(facts, '', [], () => true)
    expect(given).toHaveLength(count)
    expect(textTokens(memoryText(given) ?? '')).toBeLessThanOrEqual(maxPromptMemoryTokens)
  })

  test('[B3] are not barred for the maker of the model or of a fallback', () => {
    const facts = [fact('open', 'Likes tea.'), fact('barred', 'Likes green tea.', { barredMakers: ['openai', 'xai'] })]
    expect(chosen(facts, 'tea?', ['anthropic'])).toEqual(['open', 'barred'])
    expect(chosen(facts, 'tea?', ['openai'])).toEqual(['open'])
    expect(chosen(facts, 'tea?', ['anthropic', 'xai'])).toEqual(['open'])
  })
})

describe('[B4] the text that is read', () => {
  const message = (text: string, isTyped?: true) => ({
    ...{ id: 'm', role: 'user' as const, ...(isTyped && { isTyped }) },
    parts: [
      { type: 'file' as const, mediaType: 'text/plain', url: '/api/files/evil', filename: 'I live in Rome.txt' },
      { type: 'text' as const, text },
    ],
  })

  test('is empty for a text that may be from others', () => {
    expect(typedText(message('My name is Ada.'))).toBe('')
  })

  test('has no file, quotation and code', () => {
    const text = [
      'My name is Ada.',
      '> I live in Rome.',
      '   > I am a king.',
      '```',
      'I have a cat.',
      '```',
      'I like tea.',
      '~~~',
      'I hate tea.',
    ]
    expect(typedText(message(text.join('\n'), true))).toBe('My name is Ada.\nI like tea.')
  })

  test.each(['```\nI am a king.\n``\n~~~\nI am a queen.', '````\nI am\n```\na king.'])('has nothing of an open block: %j', (text) => {
    expect(typedText(message(text, true))).toBe('')
  })
})

describe('a start command', () => {
  const turn: ReservedTurn = {
    ...{ generationId: 'answer-new', threadId: 'thread-one', parentId: 'q2', modelId: 'kimi-k2', mode: 'chat', continueId: null },
    ...{ effort: null, queuedId: null, credits: 3, objectId: userId },
  }
  const asked = (id: string, parentId: string | null, text: string, fields: object = {}): Given => [
    'message',
    { id, parentId, ...fields, message: { id, role: 'user', isTyped: true, parts: [{ type: 'text', text }] } },
  ]
  const memory: Given = [
    'memory',
    { id: 'm1', userId, threadId: 'thread-one', messageId: 'q1', path: ['q1'], text: 'Has a dog.', createdAt: 1, updatedAt: 1 },
  ]
  const on: Given = ['setting', { isMemoryOn: true }]
  const conversation: readonly Given[] = [
    asked('q1', null, 'My dog is Rex.'),
    answered('a1', 'q1'),
    asked('q2', 'a1', 'What does a dog eat?'),
  ]
  const commandOf = (rows: readonly Given[], changes: Partial<ReservedTurn> = {}) =>
    startCommand(replicaOf(...userRows, on, ['thread', {}], ...conversation, memory, ...rows), userId, { ...turn, ...changes }, 1)
  const memoryIn = (rows: readonly Given[], changes: Partial<ReservedTurn> = {}) => {
    const command = commandOf(rows, changes)
    return [command?.profile.memories?.map(({ id }) => id), command?.reading?.text]
  }
  const question = 'What does a dog eat?'

  test('[B2] names the facts and the text to read', () => {
    expect(memoryIn([])).toEqual([['m1'], question])
    expect(commandOf([])?.reading).toEqual({ text: question, known: ['Has a dog.'] })
    expect(commandOf([])?.profile.memories).toEqual([{ id: 'm1', text: 'Has a dog.' }])
  })

  test.each<[string, readonly Given[], Partial<ReservedTurn>, unknown]>([
    ['[B6] memory is off', [['setting', {}]], {}, [undefined, undefined]],
    [
      '[B6] off in the project',
      [
        ['thread', { projectId: 'p' }],
        ['project', { id: 'p', userId, name: 'P', isMemoryOff: true, createdAt: 1, updatedAt: 1 }],
      ],
      {},
      [undefined, undefined],
    ],
    [
      'a deleted project counts as none',
      [
        ['thread', { projectId: 'p' }],
        ['project', { id: 'p', userId, name: 'P', isMemoryOff: true, createdAt: 1, updatedAt: 1, deletedAt: 2 }],
      ],
      {},
      [['m1'], question],
    ],
    ['[B6] a temporary thread', [['thread', { expiresAt: 9 }]], {}, [undefined, undefined]],
    ['[B6] a research gets none', [], { mode: 'research' }, [undefined, question]],
    ['a continued answer is not read again', [answered('a2', 'q2')], { continueId: 'a2' }, [['m1'], undefined]],
    ['[B1] the message of the fact is deleted', [asked('q1', null, 'x', { deletedAt: 5 })], {}, [undefined, question]],
    ['[B1] a deleted fact', [['memory', { ...memory[1], deletedAt: 5 }]], {}, [undefined, question]],
    [
      '[B1] an edited fact stays without its message',
      [asked('q1', null, 'x', { deletedAt: 5 }), ['memory', { ...memory[1], editedAt: 5 }]],
      {},
      [['m1'], question],
    ],
    [
      '[B1] another thread is deleted',
      [
        ['memory', { ...memory[1], threadId: 'other' }],
        ['thread', { id: 'other', deletedAt: 5 }],
      ],
      {},
      [undefined, question],
    ],
    ['[B3] a barred fact', [['memory', { ...memory[1], barredMakers: ['i'] }]], {}, [undefined, question]],
    [
      '[B3] a fact that is barred for a fallback',
      [
        ['memory', { ...memory[1], barredMakers: ['other'] }],
        ['model', { fallbackIds: ['f'] }],
        ['model', { id: 'f', icon: 'other' }],
      ],
      {},
      [undefined, question],
    ],
  ])('%s', (_, rows, changes, expected) => {
    expect(memoryIn(rows, changes)).toEqual(expected)
  })

  test('[B3] a fact with a bar is not sent to the small model', () => {
    expect(commandOf([['memory', { ...memory[1], barredMakers: ['other'] }]])?.reading?.known).toEqual([])
  })
})
