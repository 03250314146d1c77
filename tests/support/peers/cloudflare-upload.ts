/**
 * The upload of a Worker version: a form of metadata and modules. Rejects what Cloudflare rejects: bindings to missing resources, objects
 * without a migration, a migration from another state than the Worker's, missing files.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { type Account, type Binding, newId, type PeerCall, Refusal, type Worker } from './cloudflare-account.ts'
import { completedSession } from './cloudflare-assets.ts'

const binding = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('plain_text'), name: z.string(), text: z.string() }),
  z.strictObject({ type: z.literal('secret_text'), name: z.string(), text: z.string().min(1) }),
  z.strictObject({ type: z.literal('d1'), name: z.string(), id: z.string() }),
  z.strictObject({ type: z.literal('kv_namespace'), name: z.string(), namespace_id: z.string() }),
  z.strictObject({ type: z.literal('r2_bucket'), name: z.string(), bucket_name: z.string() }),
  z.strictObject({ type: z.literal('durable_object_namespace'), name: z.string(), class_name: z.string() }),
  z.strictObject({ type: z.literal('assets'), name: z.string() }),
])
const migrations = z.strictObject({
  old_tag: z.string().optional(),
  new_tag: z.string(),
  steps: z.array(z.strictObject({ new_sqlite_classes: z.array(z.string()).optional(), deleted_classes: z.array(z.string()).optional() })),
})
const observability = z
  .object({ enabled: z.boolean(), logs: z.object({ enabled: z.boolean(), invocation_logs: z.boolean() }).loose() })
  .loose()
const metadata = z
  .object({
    main_module: z.string(),
    bindings: z.array(binding),
    compatibility_date: z.iso.date(),
    compatibility_flags: z.array(z.string()),
    keep_bindings: z.array(z.string()).optional(),
    migrations: migrations.optional(),
    assets: z.object({ jwt: z.string(), config: z.record(z.string(), z.unknown()) }),
    observability,
  })
  .loose()
type Metadata = z.infer<typeof metadata>

/** Platform limit of the paid plan, compressed. */
const maxScriptBytes = 10 * 1024 * 1024
const isModule = /^application\/javascript\+module/

export async function storeVersion(account: Account, worker: Worker, call: PeerCall) {
  const form = await new Response(new Uint8Array(call.body), { headers: { 'content-type': call.contentType } }).formData()
  const parsed = metadata.safeParse(JSON.parse(String(form.get('metadata'))))
  if (!parsed.success) throw new Refusal(400, 10021, `the metadata does not fit: ${parsed.error.message}`)
  const wanted = parsed.data
  const modules = new Map<string, string>()
  for (const [name, value] of form) {
    if (typeof value === 'string' || value.type === 'application/source-map') continue
    if (!isModule.test(value.type)) throw new Refusal(400, 10021, `${name} has the type ${value.type}`)
    modules.set(name, await value.text())
  }
  if (!modules.has(wanted.main_module)) throw new Refusal(400, 10021, `there is no module ${wanted.main_module}`)
  if (gzipSync([...modules.values()].join('')).length > maxScriptBytes)
    throw new Refusal(413, 10027, 'Your Worker exceeded the size limit of 10 MiB.')
  const { migrationTag, classes } = migrated(worker, wanted.migrations)
  for (const each of wanted.bindings) checkBinding(account, each, classes)
  const session = completedSession(account, wanted.assets.jwt)

  // All or nothing: nothing can fail after this line.
  worker.migrationTag = migrationTag
  for (const name of classes) worker.classes.add(name)
  if (!wanted.keep_bindings?.includes('secret_text')) worker.secrets.clear()
  for (const each of wanted.bindings) if (each.type === 'secret_text') worker.secrets.set(each.name, each.text)
  worker.assets = { ...session, config: wanted.assets.config }
  const id = newId()
  worker.versions.push({ id, metadata: wanted, modules })
  return { id, resources: { script: { etag: createHash('sha256').update(call.body).digest('hex') } }, startup_time_ms: 12 }
}

function migrated(worker: Worker, asked: Metadata['migrations']): { migrationTag: string | null; classes: ReadonlySet<string> } {
  if (!asked) return { migrationTag: worker.migrationTag, classes: worker.classes }
  if ((asked.old_tag ?? null) !== worker.migrationTag)
    throw new Refusal(412, 10079, `Migration tag precondition failed; current tag is ${worker.migrationTag ?? 'none'}`)
  const classes = new Set(worker.classes)
  for (const step of asked.steps) {
    for (const name of step.new_sqlite_classes ?? []) {
      if (classes.has(name)) throw new Refusal(400, 10074, `Cannot apply new-class migration to class ${name} that is already depended on`)
      classes.add(name)
    }
    for (const name of step.deleted_classes ?? []) classes.delete(name)
  }
  return { migrationTag: asked.new_tag, classes }
}

function checkBinding({ databases, namespaces, buckets }: Account, asked: Binding, classes: ReadonlySet<string>): void {
  const { type, name } = asked
  if (type === 'd1' && !databases.some(({ uuid }) => uuid === asked.id))
    throw new Refusal(400, 10021, `binding ${name} of type d1 must have a valid \`id\` specified`)
  if (type === 'kv_namespace' && !namespaces.some(({ id }) => id === asked.namespace_id))
    throw new Refusal(400, 10041, `KV namespace '${asked.namespace_id}' not found`)
  if (type === 'r2_bucket' && !buckets.some((bucket) => bucket === asked.bucket_name))
    throw new Refusal(400, 10085, `R2 bucket '${asked.bucket_name}' not found`)
  if (type === 'durable_object_namespace' && !classes.has(String(asked.class_name)))
    throw new Refusal(
      400,
      10061,
      `Cannot create binding for class ${asked.class_name} because it is not currently configured to implement durable objects`,
    )
}
