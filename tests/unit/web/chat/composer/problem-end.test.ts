// When a notice above the text disappears.
import { expect, test } from 'vitest'
import { hasEnded } from '../../../../../web/features/chat/composer/use-problem-end.ts'
import { type RefusalCode, refusal } from '../../../../../worker/contract/errors.ts'
import { maxFilesPerMessage } from '../../../../../worker/contract/limits.ts'

const now = { blockedCode: undefined, isBusy: false, fileCount: 0, editedId: undefined }
const ends = (code: RefusalCode, rest: { editedId?: string | null; before?: string; now?: Partial<Parameters<typeof hasEnded>[2]> }) =>
  hasEnded({ refusal: refusal(code), ...(rest.editedId !== undefined && { editedId: rest.editedId }) }, rest.before, {
    ...now,
    ...rest.now,
  })

test('a rejected file: when an edit starts or ends', () => {
  expect(ends('file_type', { editedId: null })).toBe(false)
  expect(ends('file_type', { editedId: null, now: { editedId: 'm1' } })).toBe(true)
  expect(ends('file_type', { editedId: 'm1', now: { editedId: 'm1' } })).toBe(false)
  expect(ends('file_type', { editedId: 'm1' })).toBe(true)
})

test('a text returned after a reload does not depend on the edited message', () => {
  expect(ends('file_missing', { now: { editedId: 'm1' } })).toBe(false)
})

test('too many files: when there is space again', () => {
  expect(ends('too_many_files', { now: { fileCount: maxFilesPerMessage } })).toBe(false)
  expect(ends('too_many_files', { now: { fileCount: maxFilesPerMessage - 1 } })).toBe(true)
})

test('a reason that no longer applies; reasons known only to the server stay', () => {
  expect(ends('file_failed', { before: 'file_failed', now: { blockedCode: 'file_failed' } })).toBe(false)
  expect(ends('file_failed', { before: 'file_failed' })).toBe(true)
  expect(ends('premium_required', { before: 'premium_required', now: { blockedCode: 'message_empty' } })).toBe(true)
  expect(ends('file_missing', {})).toBe(false)
})

test('waiting for an answer: when it has ended', () => {
  expect(ends('thread_busy', { now: { isBusy: true } })).toBe(false)
  expect(ends('thread_busy', {})).toBe(true)
})
