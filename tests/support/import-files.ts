/** Files of an import: the samples of tests/fixtures/import, archives that contain them, and large files of ChatGPT's form. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BlobWriter, TextReader, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js'
import { rootDir } from '../../scripts/lib/paths.ts'
import { pngOf } from './sample-files.ts'

export type SampleName =
  | 'chatgpt-conversations'
  | 'claude-conversations'
  | 'librechat-tree'
  | 'librechat-flat'
  | 'open-webui'
  | 'parley'
  | 'every-kind-of-text'

export const sampleText = (name: SampleName): string => readFileSync(join(rootDir, 'tests/fixtures/import', `${name}.json`), 'utf8')

export const jsonFile = (text: string, name = 'conversations.json'): File => new File([text], name, { type: 'application/json' })

export async function zipFile(entries: { readonly [path: string]: string | Uint8Array }, name = 'export.zip'): Promise<File> {
  const zip = new ZipWriter(new BlobWriter('application/zip'))
  for (const [path, content] of Object.entries(entries))
    await zip.add(path, typeof content === 'string' ? new TextReader(content) : new Uint8ArrayReader(content), { useWebWorkers: false })
  return new File([await zip.close()], name)
}

/** ChatGPT's archive with two of the three images that its conversations name. */
export const chatGptArchive = (): Promise<File> =>
  zipFile({
    'chat.html': '<html></html>',
    'conversations.json': sampleText('chatgpt-conversations'),
    'file_00000000abcd-sanitized.png': pngOf(4, 4),
    'dalle-generations/file-Drawn1234-0b1c.webp': pngOf(4, 4, [0, 0, 250]),
    'user.json': '{"id":"user"}',
  })

/** `threads` conversations of `turns` questions and answers each. */
export function manyConversations(threads: number, turns: number): string {
  const conversationOf = (at: number) => {
    const ids = Array.from({ length: 2 * turns }, (_, index) => `n${at}-${index}`)
    const mapping = Object.fromEntries(
      ids.map((id, index) => [
        id,
        {
          id,
          parent: ids[index - 1] ?? null,
          children: ids.slice(index + 1, index + 2),
          message: {
            id,
            author: { role: index % 2 === 0 ? 'user' : 'assistant' },
            create_time: 1_700_000_000 + at * 100 + index,
            content: {
              content_type: 'text',
              parts: [`${index % 2 === 0 ? 'Question' : 'Answer'} ${index} of thread ${at}. ${'Some words to read. '.repeat(15)}`],
            },
            metadata: { model_slug: 'gpt-4o' },
            recipient: 'all',
          },
        },
      ]),
    )
    const start = 1_700_000_000 + at * 100
    return {
      title: `Thread ${at}`,
      create_time: start,
      update_time: start + 50,
      mapping,
      current_node: ids.at(-1),
      conversation_id: `conversation-${at}`,
    }
  }
  return JSON.stringify(Array.from({ length: threads }, (_, at) => conversationOf(at)))
}
