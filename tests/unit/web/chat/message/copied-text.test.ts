// The clipboard text of messages with files or without text.
import { expect, test } from 'vitest'
import { copiedText, messagesUntil, threadMarkdown } from '../../../../../web/features/chat/message/copy-messages.ts'
import { filePart } from '../../../../../worker/contract/files/files.ts'
import type { UserMessage } from '../../../../../worker/contract/threads/messages.ts'

const base = 'https://parley.test'
const cat = filePart({ id: 'file-of-a-cat-0001', name: 'cat.png', mediaType: 'image/png', sizeBytes: 5 })
const userMessage = (...parts: UserMessage['parts']): UserMessage => ({ id: 'question', role: 'user', parts })

test('attached files are named before the text', () => {
  expect(copiedText(userMessage(cat), base)).toBe('[cat.png]')
  expect(copiedText(userMessage(cat, { type: 'text', text: 'Whose is it?' }), base)).toBe('[cat.png]\nWhose is it?')
  expect(copiedText(userMessage({ type: 'text', text: 'Hi' }), base)).toBe('Hi')
})

const messageOf = (id: string, message: UserMessage) =>
  ({ kind: 'user', id, parentId: null, versions: { ids: [id], at: 0 }, hasMoreBelow: false, isBookmarked: false, message }) as const

test('in the whole thread as well', () => {
  expect(threadMarkdown('Cats', [messageOf('question', userMessage(cat))], base)).toBe('# Cats\n\n**You**\n\n[cat.png]')
})

test('a thread up to a message contains that message and no later one', () => {
  const shownMessages = ['one', 'two', 'three'].map((id) => messageOf(id, userMessage({ type: 'text', text: id })))
  expect(threadMarkdown('Cats', messagesUntil(shownMessages, 'two'), base)).toBe('# Cats\n\n**You**\n\none\n\n**You**\n\ntwo')
  expect(messagesUntil(shownMessages, 'gone')).toEqual([])
})
