import { expect, test } from 'vitest'
import { shownMessagesOf } from '../../../../../web/features/chat/message/shown-messages.ts'
import { countOf, hitsIn, placeAt, positionOf } from '../../../../../web/features/chat/thread/find-bar.tsx'
import { answer, question, thread } from '../build.ts'

const textParts = (text: string) => [{ type: 'text', text }] as const
const shownMessages = shownMessagesOf(
  thread([
    question('q1', null, 'The sea?'),
    answer('a1', 'q1', textParts('No **se**a here, and [sea](https://sea.example/sea), sea.')),
    question('q2', 'a1', 'And then'),
  ]),
)
const hits = hitsIn(shownMessages, null, 'sea')

test('counts the results of every message as the page shows it', () => {
  expect(hits).toEqual([
    { messageId: 'q1', count: 1 },
    { messageId: 'a1', count: 3 },
  ])
  expect(countOf(hits)).toBe(4)
  expect(hitsIn(shownMessages, null, ' ')).toEqual([])
})

test('compared answers count as the message in whose place they are', () => {
  const compared = shownMessagesOf(thread([question('q1', null, 'Why?'), answer('a1', 'q1', textParts('The sea, the sea.'))])).filter(
    (shown) => shown.kind !== 'user',
  )
  expect(hitsIn(shownMessages, [...compared, ...compared], 'sea')).toEqual([
    { messageId: 'q1', count: 1 },
    { messageId: 'a1', count: 3 },
    { messageId: 'q2', count: 4 },
  ])
})

test('a position is a result of a message, and back', () => {
  const places = [0, 1, 2, 3].map((position) => placeAt(hits, position))
  expect(places).toEqual([
    { messageId: 'q1', nth: 0 },
    { messageId: 'a1', nth: 0 },
    { messageId: 'a1', nth: 1 },
    { messageId: 'a1', nth: 2 },
  ])
  expect(places.map((place) => positionOf(hits, place))).toEqual([0, 1, 2, 3])
  expect(placeAt(hits, 4)).toBeNull()
  expect(placeAt([], -1)).toBeNull()
})

test('a result that its message has no longer has no position', () => {
  expect(positionOf(hits, { messageId: 'a1', nth: 3 })).toBe(-1)
  expect(positionOf(hits, { messageId: 'gone', nth: 0 })).toBe(-1)
  expect(positionOf(hits, null)).toBe(-1)
})
