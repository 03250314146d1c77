// Finds the resources of the Worker by name, or creates them, so that another checkout or an interrupted deployment continues with existing
// resources. Their ids are written to wrangler.jsonc once. A configured id that the account does not have means another account.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { WranglerConfig } from '../lib/wrangler-config.ts'
import { type Cloudflare, CloudflareError, hasCode } from './cloudflare-api.ts'

/** wrangler.jsonc contains zeros until the first deployment. */
const isPlaceholder = (id: string) => /^[0-]+$/.test(id)

export async function ensureResources(cloudflare: Cloudflare, config: WranglerConfig, hasFiles: boolean, note: Note): Promise<Ids> {
  const ids: Ids = {}
  for (const { binding, database_name, database_id } of config.d1_databases)
    ids[binding] = await ensure(databases(cloudflare, database_name), database_id, note)
  for (const { binding, id } of config.kv_namespaces)
    ids[binding] = await ensure(namespaces(cloudflare, `${config.name}-${binding.toLowerCase().replaceAll('_', '-')}`), id, note)
  // A bucket is identified by its name, so no id is stored.
  if (hasFiles) for (const { bucket_name } of config.r2_buckets) await ensureBucket(cloudflare, bucket_name, note)
  return ids
}

/** Resource ids by binding. */
export type Ids = { [binding: string]: string }
/** Reports each resource that was found or created. `placeholder`: the text that the id replaces. */
export type Note = (what: string, id?: { readonly placeholder: string; readonly id: string }) => void

type Listed = { readonly name: string; readonly id: string }
type Kind = { readonly noun: string; readonly name: string; list(): Promise<Listed[]>; create(): Promise<unknown> }

async function ensure(kind: Kind, configured: string, note: Note): Promise<string> {
  const what = `${kind.noun} ${kind.name}`
  const listed = await kind.list()
  if (!isPlaceholder(configured)) {
    if (listed.some(({ id }) => id === configured)) return configured
    throw new Error(
      `wrangler.jsonc names a ${kind.noun} that this account does not have (${configured}). ` +
        'Deploy to the account that has it, or put zeros in its place to begin anew',
    )
  }
  const known = listed.find(({ name }) => name === kind.name)
  // The list decides, regardless of the response to the creation: the response may be lost, and another deployment may have created the
  // resource.
  const failure = known
    ? undefined
    : await kind.create().then(
        () => undefined,
        (error: unknown) => error,
      )
  const id = known?.id ?? (await kind.list()).find(({ name }) => name === kind.name)?.id
  if (id === undefined) throw failure ?? new Error(`Cloudflare made the ${what}, but does not list it; run it again in a minute`)
  note(`${known ? 'found' : 'made'} the ${what}`, { placeholder: configured, id })
  return id
}

function databases(cloudflare: Cloudflare, name: string): Kind {
  const rights = { path: '/d1/database', permission: 'D1 Edit' }
  const row = z.object({ name: z.string(), uuid: z.string() }).transform(({ name, uuid }) => ({ name, id: uuid }))
  return {
    noun: 'D1 database',
    name,
    list: () => cloudflare.list({ ...rights, result: row, doing: 'list the D1 databases' }),
    create: () =>
      cloudflare.call({ ...rights, method: 'POST', body: { name }, result: z.unknown(), doing: `make the D1 database ${name}` }),
  }
}

function namespaces(cloudflare: Cloudflare, title: string): Kind {
  const rights = { path: '/storage/kv/namespaces', permission: 'Workers KV Storage Edit' }
  const row = z.object({ title: z.string(), id: z.string() }).transform(({ title, id }) => ({ name: title, id }))
  return {
    noun: 'KV namespace',
    name: title,
    list: () => cloudflare.list({ ...rights, result: row, doing: 'list the KV namespaces' }),
    create: () =>
      cloudflare.call({ ...rights, method: 'POST', body: { title }, result: z.unknown(), doing: `make the KV namespace ${title}` }),
  }
}

async function ensureBucket(cloudflare: Cloudflare, name: string, note: Note): Promise<void> {
  const rights = { result: z.unknown(), permission: 'Workers R2 Storage Edit' }
  const isThere = () =>
    cloudflare.call({ ...rights, path: `/r2/buckets/${name}`, doing: `look for the R2 bucket ${name}` }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof CloudflareError && error.status === 404) return false
        throw hasCode(error, 10042) ? withoutR2(cloudflare) : error
      },
    )
  if (await isThere()) return
  const create = cloudflare.call({ ...rights, method: 'POST', path: '/r2/buckets', body: { name }, doing: `make the R2 bucket ${name}` })
  const failure = await create.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (hasCode(failure, 10042)) throw withoutR2(cloudflare)
  if (failure !== undefined && !(await isThere())) throw failure
  note(`made the R2 bucket ${name}`)
}

const withoutR2 = ({ accountId }: Cloudflare) =>
  new Error(
    `R2 is not switched on for this account. Switch it on at https://dash.cloudflare.com/${accountId}/r2, ` +
      'or go without attachments: "DISABLED_FEATURES": "files" in the vars of wrangler.jsonc',
  )

/**
 * Replaces the first placeholder: equal placeholders are filled in file order. Writes a new file and renames it, so that an interruption
 * leaves no partial file.
 */
export function writeId(file: string, placeholder: string, id: string): void {
  const text = readFileSync(file, 'utf8').replace(`"${placeholder}"`, `"${id}"`)
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
