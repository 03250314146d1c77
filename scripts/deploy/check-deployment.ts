// Checks a deployment from outside, as users reach it: the settings, one page, and a connection to the sync service.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { protocolVersion } from '../../worker/sync/protocol/up.ts'

/** Null if it works, otherwise what is wrong. */
type Probe = (address: string) => Promise<string | null>

const timeoutMs = 10_000
/** Chosen: a new workers.dev address answers within a minute. */
const attempts = 20
const retryAfterMs = 3_000

/** Returns what does not work. Every probe is repeated, because a new address and new settings take effect after some seconds. */
export async function deploymentProblems(address: string, wait = () => sleep(retryAfterMs)): Promise<readonly string[]> {
  const results = await Promise.all(
    [probeHealth, probePage, probeSync].map(async (probe) => {
      let problem = await probe(address).catch(reasonOf)
      for (let attempt = 1; attempt < attempts && problem !== null; attempt++) {
        await wait()
        problem = await probe(address).catch(reasonOf)
      }
      return problem
    }),
  )
  return results.filter((problem) => problem !== null)
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function get(address: string, path: string): Promise<Response> {
  try {
    return await fetch(address + path, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error))
    throw new Error(`${path} cannot be reached: ${cause instanceof Error ? cause.message : message}.`)
  }
}

const healthSchema = z.object({ status: z.string(), parts: z.record(z.string(), z.object({ detail: z.string() })) })

const probeHealth: Probe = async (address) => {
  const response = await get(address, '/api/health')
  const health = healthSchema.safeParse(await response.json().catch(() => null)).data
  if (response.ok && health?.status === 'ok') return null
  const parts = Object.entries(health?.status === 'ok' ? {} : (health?.parts ?? {})).map(([name, { detail }]) => `${name} ${detail}`)
  return `/api/health answers ${response.status}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`
}

const probePage: Probe = async (address) => {
  const response = await get(address, '/')
  const isPage = (await response.text()).includes('id="page-settings"')
  return response.ok && isPage ? null : `/ answers ${response.status}${response.ok ? ' without the page' : ''}.`
}

/** Without a token, so that no user is created. The answer is a message of the protocol that refuses the connection. */
const probeSync: Probe = async (address) => {
  const params = { clientID: 'check', clientGroupID: 'check', userID: 'check', baseCookie: '', ts: '0', lmid: '0', wsid: 'check' }
  const path = `/sync/v${protocolVersion}/connect`
  const socket = new WebSocket(`${address.replace(/^http/, 'ws')}${path}?${new URLSearchParams(params)}`)
  try {
    const kind = await new Promise<unknown>((resolve, reject) => {
      socket.addEventListener('message', ({ data }) => resolve((JSON.parse(String(data)) as unknown[])[1]))
      socket.addEventListener('error', () => reject(new Error('no answer')))
      socket.addEventListener('close', () => reject(new Error('closed without an answer')))
      AbortSignal.timeout(timeoutMs).addEventListener('abort', () => reject(new Error('no answer in time')))
    })
    const refusal = z.object({ kind: z.string() }).safeParse(kind).data?.kind
    return refusal === 'Unauthorized' ? null : `${path} refuses connections: ${refusal ?? 'in an unknown form'}.`
  } catch (error) {
    return `${path} does not accept a WebSocket: ${error instanceof Error ? error.message : 'unknown failure'}.`
  } finally {
    socket.close()
  }
}
