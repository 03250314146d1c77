import { expect, test } from 'vitest'
import { whereabouts } from '../../../../web/features/thread/found-message.tsx'
import { stretchesOf } from '../../../../web/features/thread/found-words.ts'

const wordsIn = (text: string, ...words: string[]) => stretchesOf(words, text).map(({ from, to }) => text.slice(from, to))

test('words are marked where they begin one, those of the first word first', () => {
  expect(wordsIn('Other tides: the Tide, and the THEory', 'the', 'tid')).toEqual(['the', 'the', 'THE', 'tid', 'Tid'])
  expect(stretchesOf(['the'], 'Other: the')).toEqual([{ from: 7, to: 10 }])
})

test('what begins no word is marked wherever it is, also in scripts without spaces', () => {
  expect(wordsIn('JavaScript and TypeScript', 'script')).toEqual(['Script', 'Script'])
  expect(wordsIn('我们在海边看月亮', '月亮')).toEqual(['月亮'])
  expect(wordsIn('c++17 and c++', 'c++')).toEqual(['c++', 'c++'])
  expect(wordsIn('nothing', 'moon')).toEqual([])
})

test('a sign that is longer when it is small moves no mark', () => {
  expect(wordsIn('İİİ the MOON', 'moon')).toEqual(['MOON'])
})

test('a message is shown, hidden on another branch, gone, or on its way', () => {
  const messages = [
    { id: 'question', parentId: null },
    { id: 'one', parentId: 'question' },
    { id: 'other', parentId: 'question' },
    // What it answered was deleted, and is not here.
    { id: 'orphan', parentId: 'deleted' },
  ]
  const turns = [{ id: 'question' }, { id: 'one' }]
  const at = (id: string, isComplete = true) => whereabouts(id, turns, messages, isComplete)
  expect([at('one'), at('other'), at('other', false)]).toEqual(['shown', 'hidden', 'hidden'])
  expect([at('never'), at('orphan')]).toEqual(['gone', 'gone'])
  expect([at('never', false), at('orphan', false)]).toEqual(['coming', 'coming'])
})
