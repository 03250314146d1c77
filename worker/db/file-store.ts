/**
 * Stores, serves and deletes files: the object in R2 and its row. An object's key contains only the id of its first row, so that linking a guest
 * to an account changes only rows, and a copy is a row. Bytes are streamed and never held in memory as a whole.
 */
import { type FileType, fileTypes, type StoredType } from '../contract/files/files.ts'
import {
  deleteRows,
  type FileDetails,
  finishUpload,
  forgetBytes,
  markAll,
  markUnused,
  type RemovedFile,
  readFile,
  readFilesOf,
  readNeededObjects,
  readRemoved,
  removeUnused,
  type StoredFile,
} from './attachments.ts'
import { withOwner } from './current-owner.ts'
import { contentDb, contentDbs, type DatabaseBindings } from './shards.ts'

/** Not bound if attachments are switched off. */
export type FileBindings = DatabaseBindings & { readonly FILES?: R2Bucket }

const objectKey = (objectId: string): string => `files/${objectId}`
/**
 * Further objects of an image, deleted with its row. A copied file has separate ones, so that no user writes to a file of another.
 * `thumbnail`: for tiles. `original`: the image that the user chose, if the file was scaled for models.
 */
const variants = ['thumbnail', 'original'] as const
type Variant = (typeof variants)[number]
const variantKey = (id: string, variant: Variant): string => `${objectKey(id)}/${variant}`

/** Platform limit: R2 deletes 1,000 keys in one call. */
const sliceFiles = Math.floor(1000 / (1 + variants.length))

const bucketOf = ({ FILES }: FileBindings): R2Bucket => {
  if (!FILES) throw new Error('FILES is not bound')
  return FILES
}

/**
 * `body` must have a known length. Throws if the body fails; then no object is stored. False if the file was removed meanwhile. `pagesOf`: called
 * after the last byte.
 */
export async function storeFile(
  env: FileBindings,
  userId: string,
  file: Pick<StoredFile, 'id' | 'mediaType'>,
  body: ReadableStream,
  nowMs: number,
  pagesOf: () => number | null,
): Promise<boolean> {
  const { httpEtag: etag } = await put(env, file, body)
  return finishFile(env, userId, file.id, { etag, pages: pagesOf() }, nowMs)
}

/** As `storeFile`, for content that can be read again: retries once after an R2 error. */
export async function storeMadeFile(
  env: FileBindings,
  userId: string,
  file: Pick<StoredFile, 'id' | 'mediaType'>,
  open: () => ReadableStream,
  nowMs: number,
): Promise<boolean> {
  const { httpEtag: etag } = await put(env, file, open()).catch(() => put(env, file, open()))
  return finishFile(env, userId, file.id, { etag, pages: null }, nowMs)
}

const put = (env: FileBindings, { id, mediaType }: Pick<StoredFile, 'id' | 'mediaType'>, body: ReadableStream): Promise<R2Object> =>
  bucketOf(env).put(objectKey(id), body, { httpMetadata: { contentType: mediaType } })

async function finishFile(env: FileBindings, userId: string, id: string, details: FileDetails, nowMs: number): Promise<boolean> {
  if (await withOwner(env, userId, async (db) => (await finishUpload(db, id, details, nowMs)) || null)) return true
  // The concurrent removal may have deleted the object before it was stored.
  await bucketOf(env).delete(objectKey(id))
  return false
}

export type ByteRange = { readonly offset: number; readonly length: number }

/** Streams a file or a range of it. Throws if the object of a stored row is missing. */
export async function openFile(
  env: FileBindings,
  { objectId }: Pick<StoredFile, 'objectId'>,
  range?: ByteRange,
): Promise<ReadableStream<Uint8Array>> {
  const object = await bucketOf(env).get(objectKey(objectId), range ? { range } : {})
  if (!object) throw new Error('a stored file has no object')
  return object.body
}

export const hasVariant = async (env: FileBindings, id: string, variant: Variant): Promise<boolean> =>
  (await bucketOf(env).head(variantKey(id, variant))) !== null

/** A variant is stored once per file; the caller checks `hasVariant`. False if the file was removed meanwhile; then the variant is removed too. */
export async function storeVariant(
  env: FileBindings,
  userId: string,
  id: string,
  variant: Variant,
  body: ArrayBuffer | ReadableStream,
  mediaType: FileType,
): Promise<boolean> {
  const key = variantKey(id, variant)
  await bucketOf(env).put(key, body, { httpMetadata: { contentType: mediaType } })
  if (await withOwner(env, userId, (db, owner) => readFile(db, owner, id))) return true
  // The concurrent removal may have deleted the key before it was stored.
  await bucketOf(env).delete(key)
  return false
}

export type StoredVariant = {
  readonly body: ReadableStream<Uint8Array>
  readonly mediaType: StoredType
  readonly etag: string
  readonly sizeBytes: number
}

/** Null if the image has no such variant, or none yet. */
export async function openVariant(env: FileBindings, { id, mediaType }: StoredFile, variant: Variant): Promise<StoredVariant | null> {
  const object = await bucketOf(env).get(variantKey(id, variant))
  return (
    object && {
      body: object.body,
      mediaType: fileTypes.find((type) => type === object.httpMetadata?.contentType) ?? mediaType,
      etag: object.httpEtag,
      sizeBytes: object.size,
    }
  )
}

/** Deletes an attachment that was removed before sending. No-op for a file that a message uses, and for files of other users. */
export async function discardFile(env: FileBindings, userId: string, id: string, nowMs: number): Promise<void> {
  const db = contentDb(env, userId)
  const removed = await removeUnused(db, userId, id, nowMs)
  if (!removed) return
  await deleteObjects(env, [removed])
  await forgetBytes(db, id)
}

/** Deletes unused files: marks the rows, then deletes the objects, then the rows, so that it can be interrupted anywhere. */
export async function purgeFiles(env: FileBindings, db: D1Database, nowMs: number): Promise<number> {
  if (!env.FILES) return 0
  await markUnused(db, nowMs)
  const files = await readRemoved(db, nowMs, sliceFiles)
  await deleteFiles(env, db, files)
  return files.length
}

/** Deletes all files of a user, for account deletion. */
export async function deleteFilesOf(env: FileBindings, userId: string): Promise<void> {
  if (!env.FILES) return
  const db = contentDb(env, userId)
  await markAll(db, userId, Date.now())
  for (;;) {
    const files = await readFilesOf(db, userId, sliceFiles)
    await deleteFiles(env, db, files)
    if (files.length < sliceFiles) return
  }
}

async function deleteFiles(env: FileBindings, db: D1Database, files: readonly RemovedFile[]): Promise<void> {
  if (files.length === 0) return
  await deleteObjects(env, files)
  await deleteRows(
    db,
    files.map(({ id }) => id),
  )
}

/**
 * The files are marked as removed. An object that another file needs stays. A copy inserts its row before it checks that the original is not marked
 * (shares.ts), so one of the two sees the other.
 */
async function deleteObjects(env: FileBindings, files: readonly RemovedFile[]): Promise<void> {
  const needed = await neededObjects(env, files)
  const keys = files.flatMap(({ id, objectId }) => [
    ...(needed.has(objectId) ? [] : [objectKey(objectId)]),
    ...variants.map((variant) => variantKey(id, variant)),
  ])
  await bucketOf(env).delete(keys)
}

/** Copies can be in any database. Several databases are read twice, because a linking may move a row between two reads. */
async function neededObjects(env: FileBindings, files: readonly RemovedFile[]): Promise<ReadonlySet<string>> {
  const objectIds = files.map(({ objectId }) => objectId)
  const databases = contentDbs(env)
  const needed = new Set<string>()
  for (const database of databases.length > 1 ? [...databases, ...databases] : databases)
    for (const objectId of await readNeededObjects(database, objectIds)) needed.add(objectId)
  return needed
}
