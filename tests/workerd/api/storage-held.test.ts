// The refusal for a user whose deleted files fill the storage: their size and the time of their removal.
import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../worker/contract/http.ts'
import { storedFileBytes } from '../../../worker/contract/limits.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { insert } from '../../support/rows.ts'
import { guest, origin } from '../auth/browser.ts'
import { content, worker } from '../bindings.ts'

test('a user who deleted twice the storage limit gets the time when space is free again', async () => {
  const { browser, userId } = await guest()
  const file = { id: newId(), userId, uploadId: newId(), name: 'x', mediaType: 'text/plain', etag: '""', storedAt: 1, createdAt: 1 }
  await insert(content, 'attachment', { ...file, sizeBytes: 2 * storedFileBytes.guest })
  const use = { attachmentId: file.id, holder: 'message', holderId: newId(), hiddenSince: Date.UTC(2026, 10, 3) }
  await insert(content, 'attachmentUse', use)
  const headers = { origin, cookie: browser.cookie, 'x-upload-id': newId(), 'x-file-name': 'one more' }
  const response = await worker.fetch(`${origin}/api/files`, { method: 'POST', headers, body: 'one more' })
  expect(response.status).toBe(403)
  expect(((await response.json()) as ErrorBody).error).toEqual({
    code: 'storage_held',
    values: { heldBytes: expect.any(Number), untilMs: expect.any(Number) },
  })
})
