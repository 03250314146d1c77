// Selects the Cloudflare account and the credentials: a token of the environment, otherwise `wrangler login`.
import { z } from 'zod'
import { run } from '../lib/run.ts'
import type { WranglerConfig } from '../lib/wrangler-config.ts'
import { type Cloudflare, cloudflareApi, hasCode } from './cloudflare-api.ts'

const login = z.object({ token: z.string() })
const account = z.object({ id: z.string(), name: z.string() })

export async function signIn(env: NodeJS.ProcessEnv): Promise<Cloudflare> {
  const baseUrl = env.CLOUDFLARE_API_BASE_URL || 'https://api.cloudflare.com/client/v4'
  const token = env.CLOUDFLARE_API_TOKEN || (await tokenOfLogin())
  const accountId = env.CLOUDFLARE_ACCOUNT_ID || (await onlyAccount(baseUrl, token))
  return cloudflareApi({ accountId, token, baseUrl })
}

async function tokenOfLogin(): Promise<string> {
  const { status, output } = await run('wrangler', ['auth', 'token', '--json'])
  const found = status === 0 ? login.safeParse(JSON.parse(output.slice(output.indexOf('{')))) : undefined
  if (found?.success) return found.data.token
  throw new Error('no Cloudflare account to deploy to; set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID), or run `npx wrangler login`')
}

async function onlyAccount(baseUrl: string, token: string): Promise<string> {
  const accounts = await cloudflareApi({ accountId: '', token, baseUrl }).list({
    path: '',
    result: account,
    doing: 'list your accounts',
    permission: 'Account Settings Read',
  })
  const [first, ...others] = accounts
  if (first === undefined) throw new Error('this token reaches no Cloudflare account; set CLOUDFLARE_ACCOUNT_ID')
  if (others.length === 0) return first.id
  const choices = accounts.map(({ id, name }) => `\n  CLOUDFLARE_ACCOUNT_ID=${id}   ${name}`).join('')
  throw new Error(`this token reaches several Cloudflare accounts; choose one:${choices}`)
}

const subdomain = z.object({ subdomain: z.string() })

/**
 * Address of the Worker: the custom domain of the configuration, or the account's workers.dev address. Checked before any resource is
 * created.
 */
export async function addressOf(cloudflare: Cloudflare, { name, routes = [] }: WranglerConfig): Promise<string> {
  for (const route of routes) if (typeof route === 'object' && route.custom_domain) return `https://${route.pattern}`
  try {
    const answer = await cloudflare.call({
      path: '/workers/subdomain',
      result: subdomain,
      doing: "read the account's workers.dev address",
      permission: 'Workers Scripts Edit',
    })
    return `https://${name}.${answer.subdomain}.workers.dev`
  } catch (error) {
    if (!hasCode(error, 10007)) throw error
    const where = `https://dash.cloudflare.com/${cloudflare.accountId}/workers/onboarding`
    throw new Error(`this account has no workers.dev address yet; choose one at ${where}, or name a custom domain in wrangler.jsonc`)
  }
}
