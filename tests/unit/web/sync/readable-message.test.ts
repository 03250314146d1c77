// Stored messages with unreadable parts.
import { expect, test } from 'vitest'
import { readableRows, unreadableParts } from '../../../../web/sync/readable-message.ts'
import type { MessageRow } from '../../../../web/sync/rows.ts'

const rowWith = (message: unknown): MessageRow =>
  ({ id: 'm', threadId: 't', userId: 'u', parentId: null, message, createdAt: 1, updatedAt: 1 }) as MessageRow

const text = { type: 'text', text: 'Hello' }
const search = (results: unknown) => ({ type: 'tool-search', toolCallId: 'c', state: 'output-available', output: { results } })

test('keeps rows unchanged if their messages are readable', () => {
  const parts = [text, { type: 'step-start' }, { type: 'a kind of a newer version' }, search([{ number: 1 }]), search(undefined)]
  const rows = [rowWith({ id: 'm', role: 'user', parts })]
  expect(readableRows(rows)).toBe(rows)
})

test.each([
  ['null', null],
  ['a number', 5],
  ['a part without a type', { text: 'Hello' }],
  ['a text that is an object', { type: 'text', text: {} }],
  ['a reasoning without a text', { type: 'reasoning' }],
  ['a file without an address', { type: 'file', mediaType: 'image/png' }],
  ['a call without an id', { type: 'tool-search', state: 'output-available' }],
  ['a search with a result that is null', search([null])],
])('drops %s, and keeps the other parts', (_, part) => {
  const [row] = readableRows([rowWith({ id: 'm', role: 'user', parts: [part, text] })])
  expect(row?.message.parts).toEqual([text])
  expect(row && unreadableParts(row.message)).toEqual([part])
})

test.each([
  ['no parts', { id: 'm', role: 'user' }],
  ['parts that are an object', { id: 'm', role: 'user', parts: {} }],
  ['no message at all', null],
])('gives a message with %s an empty list of parts', (_, message) => {
  const [row] = readableRows([rowWith(message)])
  expect(row?.message.parts).toEqual([])
  expect(row && unreadableParts(row.message)).toHaveLength(1)
})

test('checks a message once', () => {
  const rows = [rowWith({ id: 'm', role: 'user', parts: [null, text] })]
  expect(readableRows(rows)[0]?.message).toBe(readableRows(rows)[0]?.message)
})
