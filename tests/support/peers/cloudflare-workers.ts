/** Workers by their HTTP interface: their list, versions and deployments, names of secrets, crons, the workers.dev address. */
import { z } from 'zod'
import { type Account, jsonOf, newId, Refusal, type Route, type Worker } from './cloudflare-account.ts'
import { openAssetSession, receiveAssets } from './cloudflare-assets.ts'
import { storeVersion } from './cloudflare-upload.ts'

const deployed = z.object({
  strategy: z.literal('percentage'),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.literal(100) })).length(1),
})
const switches = z.object({ enabled: z.boolean(), previews_enabled: z.boolean().default(false) })
const domain = z.object({ hostname: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/) })
const attached = z.object({ origins: z.array(domain), override_scope: z.literal(true) })
const crons = z.array(z.strictObject({ cron: z.string().regex(/^(\S+ ){4}\S+$/) })).max(5)

export const workerRoutes = (token: string): readonly Route[] => [
  [
    'GET',
    /^\/workers\/subdomain$/,
    ({ subdomain }) => {
      if (subdomain === null) throw new Refusal(404, 10007, 'This account does not have a workers.dev subdomain.')
      return { result: { subdomain } }
    },
  ],
  [
    'GET',
    /^\/workers\/services\/([^/]+)$/,
    (account, _call, name = '') => {
      const worker = account.workers.get(name)
      if (!worker) throw new Refusal(404, 10090, 'This Worker does not exist on your account.')
      const script = {
        id: name,
        tag: worker.tag,
        tags: [],
        last_deployed_from: 'wrangler',
        migration_tag: worker.migrationTag ?? undefined,
      }
      return { result: { id: name, default_environment: { environment: 'production', script } } }
    },
  ],
  [
    'GET',
    /^\/workers\/workers\/([^/]+)$/,
    (account, _call, name = '') => ({ result: { id: workerOf(account, name).tag, name, subdomain: workerOf(account, name).subdomain } }),
  ],
  ['GET', /^\/workers\/scripts\/([^/]+)\/settings$/, (account, _call, name = '') => ({ result: settingsOf(workerOf(account, name)) })],
  [
    'GET',
    /^\/workers\/scripts\/([^/]+)\/secrets$/,
    (account, _call, name = '') => ({
      result: [...workerOf(account, name).secrets.keys()].map((secret) => ({ name: secret, type: 'secret_text' })),
    }),
  ],
  [
    'GET',
    /^\/workers\/scripts\/([^/]+)\/deployments$/,
    (account, _call, name = '') => ({ result: { deployments: workerOf(account, name).deployments.map(deployment) } }),
  ],
  [
    'POST',
    /^\/workers\/scripts\/([^/]+)\/deployments$/,
    (account, call, name = '') => {
      const worker = workerOf(account, name)
      const id = jsonOf(call, deployed).versions[0]?.version_id ?? ''
      if (!worker.versions.some((version) => version.id === id)) throw new Refusal(400, 10068, `There is no version ${id}`)
      worker.deployments.unshift(id)
      return { result: deployment(id) }
    },
  ],
  [
    'POST',
    /^\/workers\/scripts\/([^/]+)\/versions$/,
    async (account, call, name = '') => ({ result: await storeVersion(account, workerOf(account, name), call) }),
  ],
  [
    'PUT',
    /^\/workers\/scripts\/([^/]+)$/,
    async (account, call, name = '') => {
      const worker = account.workers.get(name) ?? newWorker(name)
      const version = await storeVersion(account, worker, call)
      account.workers.set(name, worker)
      worker.deployments.unshift(version.id)
      return {
        result: {
          id: name,
          tag: worker.tag,
          etag: version.resources.script.etag,
          deployment_id: version.id.replaceAll('-', ''),
          startup_time_ms: 12,
        },
      }
    },
  ],
  [
    'PATCH',
    /^\/workers\/scripts\/([^/]+)\/script-settings$/,
    (account, call, name = '') => ({
      result: workerOf(account, name) && jsonOf(call, z.object({ observability: z.object({ enabled: z.boolean() }).optional() })),
    }),
  ],
  [
    'POST',
    /^\/workers\/scripts\/([^/]+)\/subdomain$/,
    (account, call, name = '') => {
      const worker = workerOf(account, name)
      worker.subdomain = jsonOf(call, switches)
      return { result: worker.subdomain }
    },
  ],
  [
    'POST',
    /^\/workers\/scripts\/([^/]+)\/domains\/changeset$/,
    (account, call, name = '') => {
      const { domains } = workerOf(account, name)
      const added = jsonOf(call, z.array(domain)).filter(({ hostname }) => !domains.includes(hostname))
      return { result: { added, removed: [], updated: [], conflicting: [] } }
    },
  ],
  [
    'PUT',
    /^\/workers\/scripts\/([^/]+)\/domains\/records$/,
    (account, call, name = '') => {
      const worker = workerOf(account, name)
      worker.domains = jsonOf(call, attached).origins.map(({ hostname }) => hostname)
      return { result: {} }
    },
  ],
  [
    'PUT',
    /^\/workers\/scripts\/([^/]+)\/schedules$/,
    (account, call, name = '') => {
      const worker = workerOf(account, name)
      worker.crons = jsonOf(call, crons).map(({ cron }) => cron)
      return { result: { schedules: worker.crons.map((cron) => ({ cron })) } }
    },
  ],
  ['POST', /^\/workers\/scripts\/([^/]+)\/assets-upload-session$/, (account, call) => openAssetSession(account, call)],
  ['POST', /^\/workers\/assets\/upload$/, (account, call) => receiveAssets(account, call, token)],
]

function workerOf({ workers }: Account, name: string): Worker {
  const worker = workers.get(name)
  if (!worker) throw new Refusal(404, 10007, 'This Worker does not exist on your account.')
  return worker
}

const newWorker = (name: string): Worker => ({
  name,
  tag: newId().replaceAll('-', ''),
  migrationTag: null,
  classes: new Set(),
  secrets: new Map(),
  versions: [],
  deployments: [],
  assets: null,
  crons: [],
  domains: [],
  subdomain: { enabled: false, previews_enabled: false },
})

const deployment = (id: string) => ({
  id: newId(),
  strategy: 'percentage',
  source: 'wrangler',
  versions: [{ version_id: id, percentage: 100 }],
})

function settingsOf({ versions, secrets }: Worker) {
  const bindings = versions.at(-1)?.metadata.bindings.filter(({ type }) => type !== 'secret_text') ?? []
  return { bindings: [...bindings, ...[...secrets.keys()].map((name) => ({ type: 'secret_text', name }))] }
}
