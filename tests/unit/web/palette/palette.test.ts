import { describe, expect, test } from 'vitest'
import { de } from '../../../../web/features/account/texts/de.ts'
import { en } from '../../../../web/features/account/texts/en.ts'
import { lastAnswer, threadMarkdown } from '../../../../web/features/chat/message/copy-messages.ts'
import { shownMessagesOf } from '../../../../web/features/chat/message/shown-messages.ts'
import { markedIn, stripMarkdown } from '../../../../web/features/palette/palette-option.tsx'
import { foundGroups } from '../../../../web/features/palette/rank-commands.ts'
import { datesIn } from '../../../../web/features/palette/search-filters.tsx'
import { hitIn } from '../../../../web/features/palette/use-found-threads.tsx'
import { formatDollars } from '../../../../web/lib/format.ts'
import { matchRank } from '../../../../web/lib/match-words.ts'
import { creditsPerMessage, tokenPrices } from '../../../../web/lib/models.ts'
import { chordOf } from '../../../../web/ui/kbd.tsx'
import { excerptOf, type SearchFilter, wordsOf } from '../../../../worker/contract/threads/search.ts'
import { answer, question, thread } from '../chat/build.ts'

const rank = (query: string, text: string) => matchRank(wordsOf(query), text)

describe('search words', () => {
  test('all must occur; their positions determine the rank', () => {
    expect(rank('new', 'New thread')).toBe(0)
    expect(rank('Thread NEW', 'New thread')).toBe(1)
    expect(rank('hre', 'New thread')).toBe(2)
    expect(rank('new model', 'New thread')).toBeNull()
    expect(rank('4.5', 'Claude-4.5 Haiku')).toBe(1)
  })
  test('an excerpt starts shortly before the first one, at a word, with ellipses', () => {
    const text = `${'before '.repeat(20)}the moon pulls the sea ${'after '.repeat(40)}`
    expect(excerptOf(wordsOf('moon sea'), text, 40)).toBe('…before before the moon pulls the sea aft…')
    expect(excerptOf(wordsOf('short'), 'a short one', 40)).toBe('a short one')
    expect(excerptOf(wordsOf('moon cheese'), text, 40)).toBeNull()
    expect(excerptOf([], 'the moon', 40)).toBe('the moon')
  })
})

describe('the words around a hit', () => {
  const read = (excerpt: string, query: string) => stripMarkdown(excerpt, wordsOf(query))
  test('are shown as rendered, and always with the hit', () => {
    expect(read('…see [the tides](https://sea.test/a-b) and ![the moon](/moon.png', 'moon')).toBe('…see the tides and the moon')
    expect(read(' Setting  Needs  :--  --:  KEY  one key', 'key')).toBe('Setting Needs KEY one key')
    expect(read('> What is it? - one thing -- or two', 'thing')).toBe('What is it? one thing -- or two')
    expect(read('see [the tides](https://sea.test/a) now', 'sea.test')).toBe('see [the tides](https://sea.test/a) now')
    expect(read('a[0](x) b - c', 'b')).toBe('a0 b - c')
  })
  test('keep every letter, with hits as separate pieces', () => {
    const marked = (text: string, query: string) =>
      markedIn(text, wordsOf(query)).map(({ text: piece, isFound }) => (isFound ? `<${piece}>` : piece))
    expect(marked('the sea, the Moon and moonlight', 'moon sea')).toEqual(['the ', '<sea>', ', the ', '<Moon>', ' and ', '<moon>', 'light'])
    expect(marked('An explanation is a collision', 'explanation is a')).toEqual(['An ', '<explanation is a>', ' collision'])
    expect(marked('moonlight', 'moonl moon')).toEqual(['<moonl>', 'ight'])
    expect(marked('nothing', 'sea')).toEqual(['nothing'])
  })
})

test('choices are found without opening them, also by their category, and exact names come first', () => {
  const run = () => undefined
  const groups = [
    {
      name: 'Do',
      commands: [
        { id: 'theme', title: 'Change theme', icon: null, ask: '?', choices: [{ id: 'claude', title: 'Claude', icon: null, run }] },
        { id: 'delete', title: 'Delete thread', icon: null, words: 'remove', run },
        { id: 'remover', title: 'Remove marks', icon: null, run },
      ],
    },
    { name: 'Nothing here', commands: [{ id: 'other', title: 'Other', icon: null, words: 'unrelated', run }] },
  ]
  const found = (query: string) => foundGroups(groups, wordsOf(query)).map(({ commands }) => commands.map(({ id }) => id))
  expect(foundGroups(groups, [])).toBe(groups)
  expect(found('theme claude')).toEqual([['claude']])
  expect(found('remove')).toEqual([['remover', 'delete']])
  // A partial word matches names only.
  expect(found('elated')).toEqual([])
})

test.each([
  ['English', en, 'devices logout', 'storage import export'],
  ['German', de, 'geräte abmelden', 'speicher import export'],
])('the pages of the settings are found by each of their parts, in %s', (_, texts, ofAccount, ofData) => {
  const command = (title: string, words: string) => ({ id: title, title, icon: null, words, run: () => undefined })
  for (const [title, words, parts] of [
    [texts.account, texts.accountWords, ofAccount],
    [texts.data, texts.dataWords, ofData],
  ] as const)
    for (const part of parts.split(' '))
      expect(foundGroups([{ name: texts.settings, commands: [command(title, words)] }], wordsOf(part)), part).toHaveLength(1)
})

test('an available choice precedes refused ones, and an exact name precedes both', () => {
  const run = () => undefined
  const choices = [
    { id: 'thinking', title: 'Kimi K2 Thinking', icon: null, isRefused: true, run },
    { id: 'turbo', title: 'Kimi K2 Turbo', icon: null, run },
    { id: 'kimi', title: 'Kimi K2', icon: null, run },
  ]
  const found = (query: string) => foundGroups([{ name: 'Model', commands: choices }], wordsOf(query))[0]?.commands.map(({ id }) => id)
  expect(found('kimi k2')).toEqual(['kimi', 'turbo', 'thinking'])
  expect(found('kimi')).toEqual(['turbo', 'kimi', 'thinking'])
  expect(found('thinking')).toEqual(['thinking'])
})

test('a locally stored thread is found by the filters, as on the server', () => {
  const picture = { type: 'file', mediaType: 'image/png', url: '/files/1', filename: 'moon.png' } as const
  const tides = thread([question('q1', null, 'The moon?'), answer('a1', 'q1', [picture, { type: 'text', text: 'The moon.' }])], {
    title: 'About the sea',
    projectId: 'tea',
  })
  const hit = (query: string, filter: SearchFilter) => hitIn(tides, wordsOf(query), filter)?.messageId ?? null
  expect(hit('moon', {})).toBe('a1')
  expect(hit('moon', { role: 'user' })).toBe('q1')
  expect(hit('', { hasFiles: true })).toBe('a1')
  expect(hit('moon', { modelId: 'another' })).toBeNull()
  expect([hit('moon', { projectId: 'tea' }), hit('moon', { projectId: 'other' })]).toEqual(['a1', null])
  expect([hit('moon', { sinceMs: 1 }), hit('moon', { sinceMs: 2 }), hit('moon', { untilMs: 1 })]).toEqual(['a1', null, null])
  // By its title, and the newest message that passes.
  expect([hit('sea', {}), hit('sea', { role: 'user' })]).toEqual([null, 'q1'])
})

test('a typed year, month or day is a filter: within it, since and before', () => {
  const at = (year: number, month: number, day: number) => new Date(year, month - 1, day).getTime()
  const filters = (typed: string) => datesIn(typed).map(({ filter }) => filter)
  const [since, until] = [at(2026, 5, 1), at(2026, 6, 1)]
  expect(filters('2026-05')).toEqual([{ sinceMs: since, untilMs: until }, { sinceMs: since }, { untilMs: since }])
  expect(filters('2026')[0]).toEqual({ sinceMs: at(2026, 1, 1), untilMs: at(2027, 1, 1) })
  expect(filters(' 2026-12-31 ')[0]).toEqual({ sinceMs: at(2026, 12, 31), untilMs: at(2027, 1, 1) })
  for (const typed of ['', '26', '2026-13', '2026-02-30', '2026-05-', 'since 2026', '0001']) expect(filters(typed)).toEqual([])
})

test('a thread is copied with its authors, without the streaming answer', () => {
  const shownMessages = shownMessagesOf(
    thread([question('q1', null, 'Why?'), answer('a1', 'q1', [{ type: 'text', text: '**Because.**' }]), question('q2', 'a1', 'And?')]),
  )
  expect(threadMarkdown('Reasons', shownMessages, 'https://here')).toBe(
    '# Reasons\n\n**You**\n\nWhy?\n\n**Kimi K2**\n\n**Because.**\n\n**You**\n\nAnd?',
  )
  expect(threadMarkdown(null, shownMessages.slice(0, 1), 'https://here')).toBe('**You**\n\nWhy?')
  expect(lastAnswer(shownMessages)?.id).toBe('a1')
})

test('prices have cents, and a third digit if needed; free ones have none', () => {
  expect([25, 0.15, 0.435, 1234.5].map(formatDollars)).toEqual(['$25.00', '$0.15', '$0.435', '$1,234.50'])
  const model = { credits: 5, inputMicroDollarsPerMillionTokens: 435_000, outputMicroDollarsPerMillionTokens: 3_000_000 }
  expect([creditsPerMessage(model), tokenPrices(model)]).toEqual(['From 5 credits per message', '$0.435 in · $3.00 out per million tokens'])
  expect([creditsPerMessage({ credits: 1 }), tokenPrices({ credits: 1 })]).toEqual(['From 1 credit per message', ''])
})

test('keys are shown as printed', () => {
  expect(chordOf({ key: 'o', mod: true, shift: true })).toBe('Ctrl Shift O')
  expect(chordOf({ key: 'ArrowUp', alt: true })).toBe('Alt ↑')
  expect(chordOf({ key: '?' })).toBe('?')
})
