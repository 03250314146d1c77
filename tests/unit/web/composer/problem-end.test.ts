// When what is said above the text is said no more.
import { expect, test } from 'vitest'
import { hasEnded } from '../../../../web/features/composer/use-problem-end.ts'
import { type RefusalCode, refusal } from '../../../../worker/contract/errors.ts'
import { maxFilesPerMessage } from '../../../../worker/contract/limits.ts'

const now = { blockedCode: undefined, isBusy: false, fileCount: 0, editedId: undefined }
const ends = (code: RefusalCode, rest: { editedId?: string | null; before?: string; now?: Partial<Parameters<typeof hasEnded>[2]> }) =>
  hasEnded({ refusal: refusal(code), ...(rest.editedId !== undefined && { editedId: rest.editedId }) }, rest.before, {
    ...now,
    ...rest.now,
  })

test('a file that was refused, when an edit begins or ends', () => {
  expect(ends('file_type', { editedId: null })).toBe(false)
  expect(ends('file_type', { editedId: null, now: { editedId: 'm1' } })).toBe(true)
  expect(ends('file_type', { editedId: 'm1', now: { editedId: 'm1' } })).toBe(false)
  expect(ends('file_type', { editedId: 'm1' })).toBe(true)
})

test('what came back with a reload, whichever message the composer holds, is not about an edit', () => {
  expect(ends('file_missing', { now: { editedId: 'm1' } })).toBe(false)
})

test('too many files, when there is room again', () => {
  expect(ends('too_many_files', { now: { fileCount: maxFilesPerMessage } })).toBe(false)
  expect(ends('too_many_files', { now: { fileCount: maxFilesPerMessage - 1 } })).toBe(true)
})

test('what stood in the way, when it does no more; what only the server knew stays', () => {
  expect(ends('file_failed', { before: 'file_failed', now: { blockedCode: 'file_failed' } })).toBe(false)
  expect(ends('file_failed', { before: 'file_failed' })).toBe(true)
  expect(ends('premium_required', { before: 'premium_required', now: { blockedCode: 'message_empty' } })).toBe(true)
  expect(ends('file_missing', {})).toBe(false)
})

test('an answer that was waited for', () => {
  expect(ends('thread_busy', { now: { isBusy: true } })).toBe(false)
  expect(ends('thread_busy', {})).toBe(true)
})
