// Reads the deployed Worker and uploads a version with wrangler. Secrets are uploaded with the version, so that no version runs with
// incomplete settings.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir, productionDir } from '../lib/paths.ts'
import { run } from '../lib/run.ts'
import type { Settings } from '../lib/settings.ts'
import type { WranglerConfig } from '../lib/wrangler-config.ts'
import { type Call, type Cloudflare, hasCode } from './cloudflare-api.ts'
import type { Ids } from './resources.ts'

const permission = 'Workers Scripts Edit'
const scriptSettings = z.object({ bindings: z.array(z.object({ type: z.string(), class_name: z.string().optional() })) })
const secretNames = z.array(z.object({ name: z.string() }))

/**
 * Names of the stored secrets, whose values cannot be read. Throws if a Worker of this name is another application, because an upload would
 * replace it.
 */
export async function secretsOf(cloudflare: Cloudflare, worker: string): Promise<Set<string>> {
  const ask = async <Result>(part: string, result: z.ZodType<Result>): Promise<Result | null> => {
    const call: Call<Result> = { path: `/workers/scripts/${worker}/${part}`, result, doing: `look for the Worker ${worker}`, permission }
    return cloudflare.call(call).catch((error: unknown) => {
      // The Worker does not exist yet: this is the first deployment.
      if (hasCode(error, 10007, 10090)) return null
      throw error
    })
  }
  const settings = await ask('settings', scriptSettings)
  if (settings === null) return new Set()
  // `wrangler secret put` before the first deployment creates a Worker with secrets and nothing else.
  const { bindings } = settings
  const isOurs = bindings.some(({ class_name }) => class_name === 'UserSync') || (bindings.length > 0 && bindings.every(isSecret))
  if (!isOurs)
    throw new Error(`this account already has a Worker named ${worker}, and it is not Parley; choose another "name" in wrangler.jsonc`)
  return new Set((await ask('secrets', secretNames))?.map(({ name }) => name))
}

const isSecret = ({ type }: { type: string }) => type === 'secret_text'

type Upload = { readonly config: WranglerConfig; readonly ids: Ids; readonly hasFiles: boolean; readonly settings: Settings }
type BuiltConfig = { d1_databases: { binding: string }[]; kv_namespaces: { binding: string }[]; r2_buckets: unknown[] }

export async function upload({ accountId }: Cloudflare, { config, ids, hasFiles, settings }: Upload): Promise<void> {
  const built = JSON.parse(readFileSync(join(productionDir, 'wrangler.json'), 'utf8')) as BuiltConfig
  // Next to the configuration of the build, because paths are relative. The build can be older than the ids and the settings.
  const file = join(productionDir, 'deploy.json')
  const bound = {
    ...built,
    vars: config.vars,
    routes: config.routes,
    d1_databases: built.d1_databases.map((database) => ({ ...database, database_id: ids[database.binding] })),
    kv_namespaces: built.kv_namespaces.map((namespace) => ({ ...namespace, id: ids[namespace.binding] })),
    r2_buckets: hasFiles ? built.r2_buckets : [],
  }
  writeFileSync(file, JSON.stringify(bound))
  const secrets = join(cacheDir, 'deploy-secrets.json')
  const removeSecrets = () => rmSync(secrets, { force: true })
  const stop = () => process.exit(130)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  process.once('exit', removeSecrets)
  removeSecrets()
  writeFileSync(secrets, JSON.stringify(settings), { mode: 0o600 })
  const given = Object.keys(settings).length > 0 ? ['--secrets-file', secrets] : []
  // Wrangler uses the same token. The account is explicit, because the token may have access to several.
  const { status } = await run('wrangler', ['deploy', '--config', file, ...given], {
    show: true,
    env: { CLOUDFLARE_ACCOUNT_ID: accountId },
  })
  removeSecrets()
  if (status !== 0) throw new Error('the upload failed; wrangler says why above. Everything before it is done and stays: run it again')
}
