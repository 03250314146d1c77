/**
 * Files from their first byte to their last: the object in R2 and its row. Objects are named by the id of their row and by nothing else,
 * so that a guest who becomes an account takes files along by their rows alone. Bytes pass through in streams and are never whole in memory.
 */
import { type FileType, fileTypes, type StoredType } from '../contract/files.ts'
import {
  claimUnused,
  deleteRows,
  finishUpload,
  forgetBytes,
  readFile,
  readIdsOf,
  readRemoved,
  removeUnused,
  type StoredFile,
} from './attachments.ts'
import { withOwner } from './current-owner.ts'
import { contentDb, type DatabaseBindings } from './shards.ts'

/** Not bound where attachments are switched off. */
export type FileBindings = DatabaseBindings & { readonly FILES?: R2Bucket }

const objectKey = (id: string): string => `files/${id}`
/** The small picture of a large one: another object of the same row, with which it comes and goes. */
const thumbnailKey = (id: string): string => `${objectKey(id)}/thumbnail`
const keysOf = (id: string): string[] => [objectKey(id), thumbnailKey(id)]

/** Of two names each; R2 takes 1,000 at once (platform limit). */
const sliceFiles = 500

const bucketOf = ({ FILES }: FileBindings): R2Bucket => {
  if (!FILES) throw new Error('FILES is not bound')
  return FILES
}

/** `body` has a known length. Throws when it breaks off; then nothing is stored. False when the file was removed meanwhile. */
export async function storeFile(
  env: FileBindings,
  userId: string,
  file: Pick<StoredFile, 'id' | 'mediaType'>,
  body: ReadableStream,
  nowMs: number,
): Promise<boolean> {
  return finishFile(env, userId, file.id, await put(env, file, body), nowMs)
}

/** As `storeFile`, of what can be read again: R2 fails now and then, and not twice in a row. */
export async function storeHeldFile(
  env: FileBindings,
  userId: string,
  file: Pick<StoredFile, 'id' | 'mediaType'>,
  open: () => ReadableStream,
  nowMs: number,
): Promise<boolean> {
  const object = await put(env, file, open()).catch(() => put(env, file, open()))
  return finishFile(env, userId, file.id, object, nowMs)
}

const put = (env: FileBindings, { id, mediaType }: Pick<StoredFile, 'id' | 'mediaType'>, body: ReadableStream): Promise<R2Object> =>
  bucketOf(env).put(objectKey(id), body, { httpMetadata: { contentType: mediaType } })

async function finishFile(env: FileBindings, userId: string, id: string, { httpEtag }: R2Object, nowMs: number): Promise<boolean> {
  if (await withOwner(env, userId, async (db) => (await finishUpload(db, id, httpEtag, nowMs)) || null)) return true
  // Whoever removed its row may have looked for the object before it was there.
  await bucketOf(env).delete(objectKey(id))
  return false
}

export type ByteRange = { readonly offset: number; readonly length: number }

/** The bytes of a file, or of a part of it. Throws when a row promises an object that is not there. */
export async function openFile(env: FileBindings, { id }: Pick<StoredFile, 'id'>, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
  const object = await bucketOf(env).get(objectKey(id), range ? { range } : {})
  if (!object) throw new Error('a stored file has no object')
  return object.body
}

/** Once a file: another one is not looked at. False when the file was removed meanwhile; then its small picture is too. */
export async function storeThumbnail(
  env: FileBindings,
  userId: string,
  id: string,
  bytes: ArrayBuffer,
  mediaType: FileType,
): Promise<boolean> {
  if (await bucketOf(env).head(thumbnailKey(id))) return true
  await bucketOf(env).put(thumbnailKey(id), bytes, { httpMetadata: { contentType: mediaType } })
  if (await withOwner(env, userId, (db, owner) => readFile(db, owner, id))) return true
  // Whoever removed the file may have looked for this before it was there.
  await bucketOf(env).delete(thumbnailKey(id))
  return false
}

export type Thumbnail = {
  readonly body: ReadableStream<Uint8Array>
  readonly mediaType: StoredType
  readonly etag: string
  readonly sizeBytes: number
}

/** Null: the picture has no small one, or not yet. */
export async function openThumbnail(env: FileBindings, { id, mediaType }: StoredFile): Promise<Thumbnail | null> {
  const object = await bucketOf(env).get(thumbnailKey(id))
  return (
    object && {
      body: object.body,
      mediaType: fileTypes.find((type) => type === object.httpMetadata?.contentType) ?? mediaType,
      etag: object.httpEtag,
      sizeBytes: object.size,
    }
  )
}

/** For what was attached and taken back before it was sent; does nothing to a file that a message shows, or that is not theirs. */
export async function discardFile(env: FileBindings, userId: string, id: string, nowMs: number): Promise<void> {
  const db = contentDb(env, userId)
  if (!(await removeUnused(db, userId, id, nowMs))) return
  await bucketOf(env).delete(keysOf(id))
  await forgetBytes(db, id)
}

/** Removes what no message shows any more: claimed first, then the objects, then the rows, so that it may stop anywhere. */
export async function purgeFiles(env: FileBindings, db: D1Database, nowMs: number): Promise<number> {
  if (!env.FILES) return 0
  await claimUnused(db, nowMs)
  const ids = await readRemoved(db, nowMs, sliceFiles)
  await deleteFiles(env.FILES, db, ids)
  return ids.length
}

/** Everything this person ever attached, at once and for good: for an account that is deleted. */
export async function deleteFilesOf(env: FileBindings, userId: string): Promise<void> {
  if (!env.FILES) return
  const db = contentDb(env, userId)
  for (;;) {
    const ids = await readIdsOf(db, userId, sliceFiles)
    await deleteFiles(env.FILES, db, ids)
    if (ids.length < sliceFiles) return
  }
}

async function deleteFiles(bucket: R2Bucket, db: D1Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await bucket.delete(ids.flatMap(keysOf))
  await deleteRows(db, ids)
}
