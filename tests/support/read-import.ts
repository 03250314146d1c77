/** Reads files as the worker of an import does. */
import { expect } from 'vitest'
import type { Problem } from '../../web/features/account/import/formats/source-thread.ts'
import { type BatchFile, importBatches } from '../../web/features/account/import/import-batches.ts'
import type { ImportedMessage, ImportedThread } from '../../worker/contract/threads/import-args.ts'
import { jsonFile } from './import-files.ts'

export const importNowMs = Date.parse('2026-11-26T00:00:00Z')

type Read = { readonly threads: ImportedThread[]; readonly files: BatchFile[]; readonly problems: Problem[]; readonly sizes: number[] }

export async function readImport(files: readonly File[], { userId = 'user-who-imports' } = {}): Promise<Read> {
  const all: Read = { threads: [], files: [], problems: [], sizes: [] }
  for await (const batch of importBatches({ files, userId, nowMs: () => importNowMs })) {
    all.threads.push(...batch.threads)
    all.files.push(...batch.files)
    all.problems.push(...batch.problems)
    all.sizes.push(batch.threads.length)
  }
  return all
}

type Shown = Pick<ImportedMessage, 'role' | 'text' | 'reasoning'> & { readonly model: string | undefined }

/** The messages of a file with one conversation, and what was left out. */
export async function readConversation(
  conversation: unknown,
): Promise<{ readonly messages: readonly Shown[]; readonly problems: readonly unknown[] }> {
  const { threads, problems } = await readImport([jsonFile(JSON.stringify([conversation]))])
  expect(threads).toHaveLength(1)
  const messages = (threads[0]?.messages ?? []).map(({ role, text, reasoning, model }) => ({
    ...{ role, text, model: model?.name },
    ...(reasoning ? { reasoning } : {}),
  }))
  return { messages, problems: problems.map(({ title: _, ...problem }) => problem) }
}

/** Names of the images to be uploaded. */
export const uploadsOf = ({ files }: Read): readonly string[] => files.flatMap((file) => ('upload' in file ? file.upload.name : []))

type Stored = Readonly<Record<string, unknown>>

/** A conversation of ChatGPT. Each message is the child of the previous one. */
export const chatGptConversation = (messages: readonly Stored[], fields: Stored = {}): Stored => ({
  title: 'Talk',
  create_time: 1_750_000_000,
  update_time: 1_750_000_100,
  current_node: `n${messages.length - 1}`,
  conversation_id: 'talk',
  mapping: {
    root: { id: 'root', parent: null, message: null },
    ...Object.fromEntries(
      messages.map((message, at) => [
        `n${at}`,
        {
          id: `n${at}`,
          parent: at === 0 ? 'root' : `n${at - 1}`,
          message: { create_time: 1_750_000_000 + at, recipient: 'all', metadata: {}, ...message },
        },
      ]),
    ),
  },
  ...fields,
})

export const said = (role: string, text: string, fields: Stored = {}): Stored => ({
  author: { role },
  content: { content_type: 'text', parts: [text] },
  ...fields,
})
