/**
 * Where a file that a model made is kept: in R2 under its person, as an attachment is, and where no bucket is bound in the answer itself, as
 * far as its row has room.
 *
 * The row is there before the object, and both before anybody hears of the file. So a crash leaves at most a file that no message shows,
 * which goes as an upload does that was never sent; while its generation is open it is not taken for one.
 */
import { planOf } from '../contract/access.ts'
import { fileAddress } from '../contract/files.ts'
import { storedFileBytes } from '../contract/limits.ts'
import { madeFileName, maxMadeFileBytes } from '../contract/made-files.ts'
import type { FilePart } from '../contract/messages.ts'
import { beginMadeFile, breakUpload } from '../db/attachments.ts'
import { readSubscriptions } from '../db/customers.ts'
import { type FileBindings, storeHeldFile } from '../db/file-store.ts'
import { readAccountOf, readIsGuest } from '../db/hand-over.ts'
import { newId } from '../db/new-id.ts'
import { contentDb, directoryDb } from '../db/shards.ts'
import { within } from '../lib/within.ts'
import { bytesOf, foundType, type MadeBytes, type MadeFile, namedType } from './made-file.ts'
import { MadeFileError } from './model-errors.ts'

/** The part that shows it; `number` is its place among the files of its answer. Throws a `MadeFileError` when it cannot be kept. */
export type KeepFile = (made: MadeFile, number: number) => Promise<FilePart>

/** Ours: of 8 MB and a busy store. */
const patienceMs = 20_000

export const keptInline: KeepFile = async (made) => ({
  type: 'file',
  mediaType: made.mediaType,
  url: made.kind === 'elsewhere' ? made.url : `data:${made.mediaType};base64,${padded(made.base64)}`,
})

const padded = (base64: string): string => base64 + '='.repeat((4 - (base64.length % 4)) % 4)

type Asked = { readonly userId: string; readonly generationId: string }

export function fileKeeper(env: FileBindings, asked: Asked): KeepFile {
  if (!env.FILES) return keptInline
  return async (made, number) => {
    if (made.kind === 'elsewhere') return keptInline(made, number)
    if (made.sizeBytes > maxMadeFileBytes) throw new MadeFileError('made_file_too_large')
    try {
      return await within(patienceMs, store(env, asked, made, number), () => {
        throw new Error('the store says nothing')
      })
    } catch (cause) {
      throw cause instanceof MadeFileError ? cause : new MadeFileError('made_file_not_kept', { cause })
    }
  }
}

async function store(env: FileBindings, { userId, generationId }: Asked, made: MadeBytes, number: number): Promise<FilePart> {
  const db = contentDb(env, userId)
  const mediaType = foundType(made)
  const file = { id: newId(), name: madeFileName(namedType(mediaType, made), number), mediaType, sizeBytes: made.sizeBytes }
  const maxBytes = await roomOf(env, userId)
  const noRoom = await beginMadeFile(db, { ...file, userId, generationId }, maxBytes, Date.now())
  if (noRoom) throw new MadeFileError(noRoom.type)
  try {
    if (!(await storeHeldFile(env, userId, file, () => bodyOf(made), Date.now()))) throw new Error('its row was removed meanwhile')
  } catch (error) {
    // What it would have taken is free again; should this fail too, it is when the row goes.
    await breakUpload(db, file.id).catch(() => undefined)
    throw error
  }
  return { type: 'file', mediaType, url: fileAddress(file.id), filename: file.name, sizeBytes: file.sizeBytes }
}

/** R2 wants to know the length before the first byte, and takes no more of it than it asks for. */
function bodyOf(made: MadeBytes): ReadableStream<Uint8Array> {
  const slices = bytesOf(made)
  const { readable, writable } = new FixedLengthStream(made.sizeBytes)
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = slices.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  // Why it broke is what the store says.
  source.pipeTo(writable).catch(() => undefined)
  return readable
}

async function roomOf(env: FileBindings, askedBy: string): Promise<number> {
  const userId = (await readAccountOf(env, askedBy)) ?? askedBy
  const directory = directoryDb(env)
  const [shared, isAnonymous] = await Promise.all([readSubscriptions(directory, userId), readIsGuest(directory, userId)])
  return storedFileBytes[planOf({ isAnonymous, shared }, Date.now())]
}
