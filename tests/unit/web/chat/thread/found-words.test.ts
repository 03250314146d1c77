import { expect, test } from 'vitest'
import { messageLocation } from '../../../../../web/features/chat/thread/found-message.tsx'
import { matchRanges } from '../../../../../web/lib/match-words.ts'

const wordsIn = (text: string, ...words: string[]) => matchRanges(words, text).map(({ from, to }) => text.slice(from, to))

test('words are highlighted at word starts, those of the first word first', () => {
  expect(wordsIn('Other tides: the high Tide, and the THEory', 'the', 'tid')).toEqual(['the', 'the', 'THE', 'tid', 'Tid'])
  expect(matchRanges(['the'], 'Other: the')).toEqual([{ from: 7, to: 10 }])
})

test('adjacent words are highlighted as a phrase only, also across a line break', () => {
  const text = 'A good explanation: an explanation is\na collision of facts. It is a habit, and a collision is another.'
  expect(wordsIn(text, 'explanation', 'is', 'a', 'collision')).toEqual(['explanation is\na collision'])
  expect(wordsIn(text, 'it', 'is', 'a')).toEqual(['It is a'])
  expect(wordsIn('This is a thing', 'is', 'a')).toEqual(['is a'])
  expect(wordsIn('What is (not) C++?', 'is', '(not)', 'c++')).toEqual(['is (not) C++'])
})

test('a short word is highlighted only as a whole word, and never next to a longer one', () => {
  const text = 'A habit is an explanation, as is any other collision'
  expect(wordsIn(text, 'explanation', 'is', 'a', 'collision')).toEqual(['explanation', 'collision'])
  expect(wordsIn(text, 'is', 'a')).toEqual(['is', 'is', 'A'])
  expect(wordsIn('Paint it', 'ai')).toEqual([])
  expect(wordsIn('AI, and the aim of it', 'ai')).toEqual(['AI'])
})

test('a word that starts no word is highlighted anywhere, also in scripts without spaces', () => {
  expect(wordsIn('JavaScript and TypeScript', 'script')).toEqual(['Script', 'Script'])
  expect(wordsIn('我们在海边看月亮', '月亮')).toEqual(['月亮'])
  expect(wordsIn('바다는 넓다', '바다')).toEqual(['바다'])
  expect(wordsIn('c++17 and c++', 'c++')).toEqual(['c++', 'c++'])
  expect(wordsIn('nothing', 'moon')).toEqual([])
})

test('a character with a longer lower-case form moves no highlight', () => {
  expect(wordsIn('İİİ the MOON', 'moon')).toEqual(['MOON'])
})

test('a message is shown, hidden on another branch, deleted, or loading', () => {
  const messages = [
    { id: 'question', parentId: null },
    { id: 'one', parentId: 'question' },
    { id: 'other', parentId: 'question' },
    // Its parent was deleted.
    { id: 'orphan', parentId: 'deleted' },
  ]
  const shownMessages = [{ id: 'question' }, { id: 'one' }]
  const at = (id: string, isComplete = true, hasOlder = false) => messageLocation(id, shownMessages, messages, { isComplete, hasOlder })
  expect([at('one'), at('other'), at('other', false)]).toEqual(['shown', 'hidden', 'hidden'])
  expect([at('never'), at('orphan')]).toEqual(['deleted', 'deleted'])
  expect([at('never', false), at('orphan', false)]).toEqual(['loading', 'loading'])
  // The server decides whether a branch that the window cuts can be shown.
  expect([at('never', true, true), at('orphan', true, true)]).toEqual(['loading', 'hidden'])
})
