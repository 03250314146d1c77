// The pages of a PDF: counted at its upload, and compared where a message, a queued message or a project uses the file.
import { expect, test } from 'vitest'
import { type AttachedFile, filePart } from '../../../worker/contract/files/files.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { insert, messageRow, projectRow, threadRow } from '../../support/rows.ts'
import { pdf } from '../../support/sample-files.ts'
import { type Browser, guest, origin } from '../auth/browser.ts'
import { content, worker } from '../bindings.ts'

const upload = ({ cookie }: Browser, body: Uint8Array): Promise<Response> =>
  worker.fetch(`${origin}/api/files`, {
    method: 'POST',
    headers: { origin, cookie, 'x-upload-id': newId(), 'x-file-name': 'paper.pdf' },
    body: Uint8Array.from(body),
  })

test('an upload without countable pages is refused and not stored', async () => {
  const { browser, userId } = await guest()
  const response = await upload(browser, new TextEncoder().encode('%PDF-1.7\n1 0 obj <</Type/Catalog>> endobj'))
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ error: { code: 'pdf_unreadable' } })
  const stored = content.prepare('select count(*) n from attachment where userId = ? and storedAt is not null').bind(userId)
  expect(await stored.first('n')).toBe(0)
})

test('an encrypted upload is refused and not stored', async () => {
  const { browser, userId } = await guest()
  const head = '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R>>endobj\n'
  const response = await upload(browser, new TextEncoder().encode(`${head}xref\n0 5\ntrailer<</Root 1 0 R/Size 5/Encrypt 4 0 R>>\n%%EOF`))
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ error: { code: 'pdf_encrypted' } })
  const stored = content.prepare('select count(*) n from attachment where userId = ? and storedAt is not null').bind(userId)
  expect(await stored.first('n')).toBe(0)
})

test('a file with another number of pages, or without one, is refused', async () => {
  const { browser, userId } = await guest()
  const { file } = (await (await upload(browser, pdf)).json()) as { file: AttachedFile }
  expect(file.pages).toBe(1)
  const thread = threadRow(userId)
  await insert(content, 'thread', thread)
  const project = projectRow(userId)
  await insert(content, 'project', project)
  const uses: readonly ((claimed: AttachedFile) => Promise<unknown>)[] = [
    (claimed) => {
      const message = messageRow(userId, String(thread.id))
      return insert(content, 'message', {
        ...message,
        message: JSON.stringify({ id: message.id, role: 'user', parts: [filePart(claimed)] }),
      })
    },
    (claimed) =>
      content
        .prepare(
          "insert into queuedMessage (id, threadId, userId, answerId, text, modelId, createdAt, files) values (?, ?, ?, ?, '', 'kimi-k2', 1, ?)",
        )
        .bind(newId(), thread.id, userId, newId(), JSON.stringify([claimed]))
        .run(),
    (claimed) =>
      content
        .prepare('update project set files = ? where id = ?')
        .bind(JSON.stringify([claimed]), project.id)
        .run(),
  ]
  for (const use of uses) {
    for (const pages of [2, undefined]) await expect(use({ ...file, pages })).rejects.toThrow('file_missing')
    await use(file)
  }
})
