// The Workers of the loopback Cloudflare account: static files, versions, secrets and triggers.
import { randomUUID } from 'node:crypto'
import {
  type Account,
  type Binding,
  type Call,
  type Metadata,
  parsed,
  Refusal,
  type Route,
  type Version,
  Worker,
} from './cloudflare-account.ts'

export function workerRoutes(account: Account): readonly Route[] {
  const { workers } = account
  const workerOf = (name = '') => {
    const worker = workers.get(name)
    if (!worker) throw new Refusal(404, 10007, 'This Worker does not exist on your account.')
    return worker
  }
  const at = (path: string) => new RegExp(`^/workers/scripts/([^/]+)${path}$`)
  // The static files of an upload belong to the Worker only when its version arrives.
  const uploads = new Map<string, readonly (readonly [path: string, hash: string])[]>()
  const files = new Map<string, Buffer>()
  const contentOf = (hash: string) => {
    const content = files.get(hash)
    if (!content) throw new Refusal(400, 10021, 'the files of this upload are not complete')
    return content
  }

  async function store(worker: Worker, call: Call): Promise<Version> {
    const form = await formOf(call)
    const uploaded = JSON.parse(String(form.get('metadata'))) as Metadata
    const previous = worker.versions.at(-1)?.metadata.bindings
    const inherited = (binding: Binding) => (binding.type === 'inherit' && previous?.find(({ name }) => name === binding.name)) || binding
    const metadata = { ...uploaded, bindings: uploaded.bindings.map(inherited) }
    for (const binding of metadata.bindings) checkBinding(account, binding)
    const modules = new Map<string, string>()
    for (const [name, value] of form)
      if (typeof value !== 'string' && value.type.startsWith('application/javascript')) modules.set(name, await value.text())
    if (!metadata.keep_bindings?.includes('secret_text')) worker.secrets.clear()
    for (const { type, name, text } of metadata.bindings) if (type === 'secret_text') worker.secrets.set(name, String(text))
    if (metadata.assets) {
      worker.files.clear()
      for (const [path, hash] of uploads.get(uploadOf(metadata.assets.jwt)) ?? []) worker.files.set(path, contentOf(hash))
    }
    worker.migrationTag = metadata.migrations?.new_tag ?? worker.migrationTag
    const version = { id: randomUUID(), metadata, modules }
    worker.versions.push(version)
    return version
  }

  return [
    ['GET', /^\/workers\/subdomain$/, () => ({ subdomain: 'somebody' })],
    [
      'GET',
      /^\/workers\/services\/([^/]+)$/,
      (_call, name) => ({ default_environment: { script: { tag: 'tag', migration_tag: workerOf(name).migrationTag } } }),
    ],
    ['GET', /^\/workers\/workers\/([^/]+)$/, (_call, name) => ({ subdomain: workerOf(name).subdomain })],
    ['GET', at('/settings'), (_call, name) => ({ bindings: workerOf(name).versions.at(-1)?.metadata.bindings ?? [] })],
    ['GET', at('/secrets'), (_call, name) => [...workerOf(name).secrets.keys()].map((secret) => ({ name: secret, type: 'secret_text' }))],
    [
      'PATCH',
      at('/secrets-bulk'),
      (call, name) => {
        const { secrets } = parsed(call) as { secrets: Record<string, { text: string }> }
        for (const [secret, { text }] of Object.entries(secrets)) workerOf(name).secrets.set(secret, text)
      },
    ],
    [
      'GET',
      at('/deployments'),
      (_call, name) => ({
        deployments: [{ id: 'deployment', versions: [{ version_id: workerOf(name).versions.at(-1)?.id, percentage: 100 }] }],
      }),
    ],
    ['POST', at('/deployments'), () => ({ id: 'deployment' })],
    [
      'POST',
      at('/versions'),
      async (call, name) => ({ id: (await store(workerOf(name), call)).id, resources: { script: { etag: 'etag' } } }),
    ],
    [
      'PUT',
      at(''),
      async (call, name = '') => {
        const worker = workers.get(name) ?? new Worker()
        const { id } = await store(worker, call)
        workers.set(name, worker)
        return { id: name, deployment_id: id.replaceAll('-', '') }
      },
    ],
    ['PATCH', at('/script-settings'), () => ({})],
    ['POST', at('/subdomain'), (call, name) => Object.assign(workerOf(name).subdomain, parsed(call))],
    ['POST', at('/domains/changeset'), () => ({ added: [], removed: [], updated: [], conflicting: [] })],
    [
      'PUT',
      at('/domains/records'),
      (call, name) => {
        workerOf(name).domains = (parsed(call).origins as { hostname: string }[]).map(({ hostname }) => hostname)
      },
    ],
    [
      'PUT',
      at('/schedules'),
      (call, name) => {
        workerOf(name).crons = (parsed(call) as { cron: string }[]).map(({ cron }) => cron)
      },
    ],
    [
      'POST',
      at('/assets-upload-session'),
      (call) => {
        const manifest = Object.entries<{ hash: string }>(parsed(call).manifest).map(([path, { hash }]) => [path, hash] as const)
        const id = randomUUID()
        uploads.set(id, manifest)
        const missing = new Set(manifest.map(([, hash]) => hash).filter((hash) => !files.has(hash)))
        return { jwt: jwtOf(id), buckets: missing.size > 0 ? [[...missing]] : [] }
      },
    ],
    [
      'POST',
      /^\/workers\/assets\/upload$/,
      async (call) => {
        for (const [hash, value] of await formOf(call))
          if (typeof value !== 'string') files.set(hash, Buffer.from(await value.text(), 'base64'))
        return { jwt: call.authorization?.replace('Bearer ', '') }
      },
    ],
  ]
}

const formOf = ({ body, contentType }: Call) => new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwtOf = (upload: string) => `${encoded({ alg: 'HS256' })}.${encoded({ upload, exp: Date.now() / 1000 + 3600 })}.${encoded({})}`
const uploadOf = (jwt: string): string => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')).upload

function checkBinding({ databases, namespaces, buckets }: Account, { type, name, ...binding }: Binding): void {
  if (type === 'd1' && !databases.some(({ uuid }) => uuid === binding.id))
    throw new Refusal(400, 10021, `binding ${name} of type d1 must have a valid \`id\` specified`)
  if (type === 'kv_namespace' && !namespaces.some(({ id }) => id === binding.namespace_id))
    throw new Refusal(400, 10041, `KV namespace '${binding.namespace_id}' not found`)
  if (type === 'r2_bucket' && !buckets.some((bucket) => bucket === binding.bucket_name))
    throw new Refusal(400, 10085, `R2 bucket '${binding.bucket_name}' not found`)
}
