// Every route of the app, asked by everybody with the ids of somebody else's things: it answers what it answers about nothing, and nothing
// of the owner's changes. A route without a row fails.
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../worker/app.ts'
import type { Env } from '../../../worker/env.ts'
import { type SettingFacts, settingFacts } from '../../../worker/env-settings.ts'
import { insert } from '../../support/rows.ts'
import { origin, type Person } from '../auth/person.ts'
import { env, worker } from '../bindings.ts'
import { generationOf, givenTurn, untilEnded } from '../turns.ts'
import { type Ask, nobodysThings, type RouteIds, rows, type Who } from './route-rows.ts'
import { belongingsOf, fileCalled, type Scene, setScene, somebody, strangers } from './scene.ts'

const app = createApp(async () => ({}))
const routes = [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))]
const others = ['nobody', 'ended', ...strangers] as const

let scene: Scene
let ids: RouteIds
const cookies = new Map<Who, string>()

beforeAll(async () => {
  scene = await setScene()
  const { owner } = scene
  const ended = await somebody(false)
  await env.DB.prepare('update session set expiresAt = 1 where userId = ?').bind(ended.userId).run()
  for (const who of strangers) cookies.set(who, scene.strangers[who].person.cookie)
  cookies.set('ended', ended.person.cookie).set('owner', owner.person.cookie).set('nobody', '')
  const things = { ...nobodysThings(), ...scene.ids }
  const { fileId, unsentFileId, organizationId } = things
  for (const id of [fileId, unsentFileId]) await env.FILES?.put(`files/${id}`, 'abc')
  const unsent = { ...fileCalled(unsentFileId), uploadId: unsentFileId, unusedSince: Date.now() }
  await insert(env.DB, 'attachment', { ...unsent, userId: owner.userId, etag: '"a"', storedAt: 1, createdAt: 1 })
  const [checkoutId, organizationCheckoutId] = [
    await lastOf(owner.person, '/api/checkout'),
    await lastOf(owner.person, `/api/checkout?organizationId=${organizationId}`),
  ]
  ids = { ...things, checkoutId, organizationCheckoutId, runningThreadId: await answerBeingWritten(owner.userId) }
})

/** The id in the address that a way to pay leads to. */
const lastOf = async (person: Person, path: string): Promise<string> =>
  (await person.call(path)).headers.get('location')?.split('/').at(-1) ?? ''

/** The owner's: rows of the helper belong to somebody of its own. */
async function answerBeingWritten(userId: string): Promise<string> {
  const order = await givenTurn('/demo chunks=2 delay=60000')
  await env.DB.batch([
    env.DB.prepare('insert into handover (guestId, accountId, createdAt) values (?, ?, 1)').bind(order.userId, userId),
    ...['thread', 'message', 'generation', 'creditLedger', 'usage'].map((table) =>
      env.DB.prepare(`update or replace ${table} set userId = ? where userId = ?`).bind(userId, order.userId),
    ),
  ])
  await generationOf(order).ensure({ ...order, userId })
  return order.threadId
}

async function ask(who: Who, route: string, { path, headers, body }: Ask, named: RouteIds): Promise<Response> {
  const method = route.split(' ')[0] ?? ''
  return worker.fetch(origin + path(named), {
    method: method === 'ALL' ? 'GET' : method,
    headers: {
      ...{ origin, cookie: cookies.get(who) ?? '' },
      'content-type': body?.(named).startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded',
      ...headers?.(named),
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: body(named) }),
  })
}

/** Everything that an answer says, with its accidents left out: the names of what was asked for, nonces, tokens, the time. */
async function saidBy(response: Response, named: RouteIds) {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await response.body?.cancel()
  const text = isStream ? '' : await response.text()
  const plain = (value: string) =>
    // Whoever is of the organization reads of it, whatever was asked for.
    [...Object.entries(named), ['organizationId', ids.organizationId] as const]
      .reduce((said, [name, id]) => said.replaceAll(id, name), value)
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'nonce')
      .replace(/eyJ[\w.-]+/g, 'token')
      .replace(/"exportedAt":"[^"]+"/, '"exportedAt":"now"')
      .replace(/("file":\{"id":)"[^"]+"/, '$1"new"')
      .replace(/\/(checkout|portal)\/\w+$/, '/$1/…')
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie').map(([name, value]) => [name, plain(value)])
  const refusal = /^\{"error":\{"code":"(\w+)"/.exec(text)?.[1]
  const location = response.headers.get('location')
  const leadsTo = location && plain(new URL(location, origin).pathname)
  return {
    short: [response.status, refusal ?? leadsTo].filter(Boolean).join(' '),
    all: { status: response.status, headers, text: plain(text) },
  }
}

const theirs = async () => [
  await belongingsOf(scene.ids.userId),
  await Promise.all([ids.fileId, ids.unsentFileId].map(async (id) => (await env.FILES?.head(`files/${id}`))?.size ?? null)),
]

test('every route has its row', () => {
  expect(Object.keys(rows).sort()).toEqual([...routes].sort())
})

describe.each(
  Object.entries(rows).flatMap(([route, asks]) => asks.map((asked, i) => ({ route: `${route}`, label: `${route} ${i + 1}`, asked }))),
)('$label', ({ route, asked }) => {
  test('tells whoever it is not for what it tells of nothing', async () => {
    const before = await theirs()
    await Promise.all(
      others.map(async (who) => {
        const absentThings = nobodysThings()
        const foreign = await saidBy(await ask(who, route, asked, ids), ids)
        expect([who, foreign.short]).toEqual([who, asked.answer(who)])
        if (asked.shared?.some((member) => member === who)) return
        const absent = await saidBy(await ask(who, route, asked, absentThings), absentThings)
        expect([who, foreign.all]).toEqual([who, absent.all])
      }),
    )
    expect(await theirs()).toEqual(before)
  })

  test('answers the owner', async () => {
    expect((await saidBy(await ask('owner', route, asked, ids), ids)).short).toBe(asked.answer('owner'))
  })
})

test('what was the owner’s to throw away is gone, and what a message may still show is not', async () => {
  expect((await theirs())[1]).toEqual([3, null])
})

test('what is being written is stopped', async () => {
  const found = await env.DB.prepare('select streamId from thread where id = ?').bind(ids.runningThreadId).first<string>('streamId')
  const generationId = found ?? ''
  await generationOf(scene.ids).stop(generationId, scene.ids.userId)
  await untilEnded({ generationId } as Parameters<typeof untilEnded>[0])
})

describe('in production', () => {
  const variables = Object.fromEntries(
    Object.entries<SettingFacts>(settingFacts)
      .filter(([, { isRequired }]) => isRequired)
      .map(([name, { form }]) => [name, form === 'url' ? origin : 'x'.repeat(40)]),
  )
  const production = { ...env, ...variables, ENVIRONMENT: 'production', CRON_SECRET: 'hunter2' } as Env
  const asked = async (bindings: Env, method: string, path: string): Promise<{ status: number; text: string }> => {
    const background = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
    const response: Response = await app.request(
      origin + path,
      { method, headers: { origin, cookie: cookies.get('owner') ?? '' } },
      bindings,
      background,
    )
    return { status: response.status, text: await response.text() }
  }

  const ofDevelopment: readonly (readonly [method: string, path: () => string])[] = [
    ['GET', () => '/api/outbox'],
    ...['GET', 'POST'].map((method) => [method, () => `/api/simulation/checkout/${ids.checkoutId}`] as const),
    ...['GET', 'POST'].map((method) => [method, () => `/api/simulation/portal/${ids.portalId}`] as const),
  ]
  test.each(ofDevelopment)('%s of what only a development has is of nothing (%#)', async (method, path) => {
    const nothing = await asked(production, method, '/api/nothing')
    expect(nothing.status).toBe(404)
    expect(await asked(production, method, path())).toEqual(nothing)
    expect(await asked({ ...production, DISABLED_FEATURES: 'billing' } as Env, method, path())).toEqual(nothing)
  })

  test('the scheduled work and the page of whoever deploys are for the secret, and an event for its signature', async () => {
    expect((await asked(production, 'GET', '/api/reset')).status).toBe(403)
    const setup = await asked(production, 'GET', '/api/setup')
    expect([setup.status, setup.text.includes('Database')]).toEqual([200, false])
    expect((await asked(production, 'POST', '/api/webhook/stripe')).status).toBe(400)
  })
})
