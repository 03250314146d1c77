/**
 * A loopback Stripe: the simulated provider behind a real socket, for the real SDK in a real Worker. It signs its webhooks, sends them
 * late, twice and in any order, and fails on request.
 */
import { createServer, type IncomingMessage } from 'node:http'
import Stripe from 'stripe'
import { createApi } from '../../../worker/dev/payments/api.ts'
import { PaymentProvider, type SimEvent } from '../../../worker/dev/payments/payment-provider.ts'
import { createSerial } from '../../../worker/sync/object/task-queue.ts'
import { close, listen } from './peer-server.ts'
import { memoryStore } from './stripe-memory.ts'
import { createStripeSetup, type StripeSetupState } from './stripe-setup.ts'

/** Replaces the response. `lost` executes the request and then breaks the connection. */
type StripeMisbehaviour = { readonly status: 429 | 500 } | 'stall' | 'hang-up' | 'lost'

export type StripePeer = {
  readonly url: string
  readonly secretKey: string
  readonly webhookSecret: string
  readonly stripe: PaymentProvider
  readonly setup: StripeSetupState
  /** "POST /v1/customers", in order. */
  readonly calls: string[]
  /** Called after each request was carried out, before its answer. */
  onCall: (line: string) => void
  /** For the next calls with this prefix; each failure is used once. */
  misbehave(call: string, ...how: readonly StripeMisbehaviour[]): void
  /** Sends an event to a Worker, signed with the current time by default; resolves with the status. */
  send(to: string, event: SimEvent, signed?: { readonly secret?: string; readonly agoS?: number }): Promise<number>
  stop(): Promise<void>
}

export async function startStripePeer(): Promise<StripePeer> {
  const [secretKey, webhookSecret] = ['sk_of_the_peer', 'whsec_of_the_peer']
  const stripe = new PaymentProvider(memoryStore(), () => Date.now())
  const calls: string[] = []
  const plans: { call: string; how: StripeMisbehaviour }[] = []
  const setup = createStripeSetup()
  // One operation at a time, like Stripe's locks.
  const serial = createSerial()

  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await bodyOf(incoming)
      const line = `${incoming.method} ${incoming.url?.split('?')[0]}`
      calls.push(line)
      const index = plans.findIndex(({ call }) => line.startsWith(call))
      const [plan] = index === -1 ? [] : plans.splice(index, 1)
      if (plan?.how === 'stall') return
      if (plan?.how === 'hang-up') return void outgoing.destroy()
      const json = (status: number, text: string) => void outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text)
      if (typeof plan?.how === 'object') return json(plan.how.status, '{"error":{"type":"api_error","message":"fails on request"}}')
      if (incoming.headers.authorization !== `Bearer ${secretKey}`) return json(401, '{"error":{"type":"invalid_request_error"}}')
      const answer = await serial(async () => (await setup.answer(requestOf(incoming, body))) ?? api(requestOf(incoming, body)))
      peer.onCall(line)
      if (plan?.how === 'lost') return void outgoing.destroy()
      json(answer.status, await answer.text())
    })().catch(() => outgoing.destroy())
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const api = createApi(stripe, `${url}/pages`)

  const peer: StripePeer = {
    url,
    secretKey,
    webhookSecret,
    stripe,
    setup: setup.state,
    calls,
    onCall: () => undefined,
    misbehave: (call, ...how) => void plans.push(...how.map((one) => ({ call, how: one }))),
    send: async (to, event, { secret = webhookSecret, agoS = 0 } = {}) => {
      const payload = JSON.stringify(event)
      const timestamp = Math.floor(Date.now() / 1000) - agoS
      const signature = await new Stripe(secretKey).webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp })
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
      return (await fetch(`${to}/api/webhook/stripe`, { method: 'POST', body: payload, headers })).status
    },
    stop: () => close(server),
  }
  return peer
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function requestOf(incoming: IncomingMessage, body: string): Request {
  const key = incoming.headers['idempotency-key']
  return new Request(`http://stripe.test${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: typeof key === 'string' ? { 'idempotency-key': key } : {},
    ...(body === '' ? {} : { body }),
  })
}
