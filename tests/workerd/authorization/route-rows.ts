/** The responses of every route by viewer. A new route requires a row; requests contain every possible id of the owner. */
import { newId } from '../../../worker/db/new-id.ts'
import { env } from '../bindings.ts'
import { type Ids, missingIdsOf, type OtherUser, otherUsers } from './scene.ts'

/** `ended`: a session that has expired. `removed`: a former member of the organization. */
export type Who = 'visitor' | 'ended' | OtherUser | 'owner'

export type RouteIds = Ids & {
  readonly checkoutId: string
  readonly organizationCheckoutId: string
  readonly portalId: string
  readonly unsentFileId: string
  readonly runningThreadId: string
}

const anyCheckout = () => `cs_${crypto.randomUUID().replaceAll('-', '')}`

export const missingIds = (): RouteIds => ({
  ...missingIdsOf(),
  checkoutId: anyCheckout(),
  organizationCheckoutId: anyCheckout(),
  portalId: newId(),
  unsentFileId: newId(),
  runningThreadId: newId(),
})

/** In short form: the status, and the code of a refusal or the page of a redirect. */
type Answer = (who: Who) => string

export type Ask = {
  readonly path: (ids: RouteIds) => string
  readonly headers?: (ids: RouteIds) => Record<string, string>
  readonly body?: (ids: RouteIds) => string
  readonly answer: Answer
  /** Users besides the owner who may read the rows. */
  readonly shared?: readonly Exclude<Who, 'owner'>[]
}

const everybody =
  (answer: string): Answer =>
  () =>
    answer

const hasNoSession = (who: Who) => who === 'visitor' || who === 'ended'
const signedIn =
  (owner: string, others = owner): Answer =>
  (who) =>
    hasNoSession(who) ? '401 session_required' : who === 'owner' ? owner : others

/** Guests have no tool servers. */
const withAccount =
  (owner: string, others = '404 not_found'): Answer =>
  (who) =>
    hasNoSession(who) ? '401 session_required' : who === 'guest' ? '403 not_authorized' : who === 'owner' ? owner : others

/** Guests sign in before they pay; `of` is the response for an account. */
const paying =
  (of: (who: Who) => string): Answer =>
  (who) =>
    hasNoSession(who) || who === 'guest' ? '303 /login' : of(who)

const forOrganization = (answer: string) =>
  paying((who) => (who === 'owner' || who === 'admin' ? answer : who === 'fellow' ? '403 not_authorized' : '404 not_found'))
const payers = ['fellow', 'admin'] as const

const allViewersButOwner = ['visitor', 'ended', ...otherUsers] as const

const absent = everybody('404 not_found')
const checkout = '303 /api/simulation/checkout/…'
const home = '303 /account/subscription'

const page = (path: Ask['path']): readonly Ask[] => (env.ASSETS === undefined ? [] : [{ path, answer: everybody('200') }])

export const rows: { readonly [route: string]: readonly Ask[] } = {
  // Paths without a route. As middleware these handle every request and respond to none.
  'ALL /*': [{ path: () => '/', answer: everybody('200') }].filter(() => env.ASSETS !== undefined),
  'ALL /api/*': [{ path: ({ userId }) => `/api/users/${userId}`, answer: absent }],
  'ALL /_serverFn/*': [{ path: ({ threadId }) => `/_serverFn/thread?threadId=${threadId}`, answer: absent }],
  'ALL /sync/*': [{ path: ({ userId }) => `/sync/${userId}`, answer: absent }],

  'GET /api/health': [{ path: () => '/api/health', answer: everybody('200') }],
  // In development; the tests below cover production.
  'GET /api/setup': [{ path: () => '/api/setup', answer: everybody('200') }],
  'POST /api/setup': [{ path: () => '/api/setup', body: () => 'secret=guessed', answer: everybody('200') }],
  'GET /api/outbox': [{ path: () => '/api/outbox', answer: everybody('200') }],
  'GET /api/reset': [
    { path: () => '/api/reset', headers: () => ({ authorization: 'Bearer guessed' }), answer: everybody('501 not_configured') },
  ],
  'POST /api/webhook/stripe': [
    { path: () => '/api/webhook/stripe', body: ({ userId }) => `{"userId":"${userId}"}`, answer: everybody('501 not_configured') },
  ],

  // better-auth's endpoints: auth-endpoints.test.ts, and organization-matrix.test.ts for roles.
  'GET /api/auth/*': [
    { path: ({ userId }) => `/api/auth/get-session?userId=${userId}`, answer: everybody('200') },
    { path: ({ userId }) => `/api/auth/users/${userId}`, answer: absent },
  ],
  'POST /api/auth/*': [
    { path: () => '/api/auth/sign-in/email', body: ({ userId }) => `{"email":"${userId}","password":"guessed"}`, answer: absent },
  ],
  // A used or unknown link. A signed-in user sees the landing page first.
  'POST /api/auth/magic-link/verify': [
    {
      path: () => '/api/auth/magic-link/verify',
      body: ({ userId }) => `token=${userId}`,
      answer: (who) => (who === 'visitor' || who === 'ended' ? '302 /login' : '302 /magic-link'),
    },
  ],

  'GET /api/account/export': [{ path: ({ userId }) => `/api/account/export?userId=${userId}`, answer: signedIn('200') }],
  // With `?generation=`, another user waits as for a turn that has not started: generation-readers.test.ts.
  'GET /api/thread/:threadId/stream': [
    { path: ({ threadId }) => `/api/thread/${threadId}/stream`, answer: signedIn('204') },
    { path: ({ runningThreadId }) => `/api/thread/${runningThreadId}/stream`, answer: signedIn('200', '204') },
  ],
  'GET /_serverFn': [{ path: ({ threadId }) => `/_serverFn?threadId=${threadId}`, answer: signedIn('200') }],
  'GET /_serverFn/': [{ path: ({ threadId }) => `/_serverFn/?threadId=${threadId}`, answer: signedIn('200') }],
  'GET /_serverFn/first-page': [{ path: ({ threadId }) => `/_serverFn/first-page?threadId=${threadId}`, answer: signedIn('200') }],
  'GET /*': page(({ threadId }) => `/${threadId}`),
  // Upgrades, tokens and origins: auth/token.test.ts and user-sync-connect.test.ts.
  'GET /sync/:version{v[0-9]+}/connect': [
    { path: ({ userId }) => `/sync/v51/connect?userID=${userId}`, answer: everybody('426 invalid_request') },
  ],

  'GET /api/checkout': [
    { path: () => '/api/checkout', answer: paying(() => checkout) },
    {
      path: ({ organizationId }) => `/api/checkout?organizationId=${organizationId}`,
      ...{ answer: forOrganization(checkout), shared: payers },
    },
  ],
  'GET /api/checkout/success': [
    {
      path: ({ checkoutId }) => `/api/checkout/success?session_id=${checkoutId}`,
      answer: (who) => (hasNoSession(who) || who === 'guest' ? '303 /login' : who === 'owner' ? home : '404 not_found'),
    },
    {
      path: ({ organizationCheckoutId }) => `/api/checkout/success?session_id=${organizationCheckoutId}`,
      answer: (who) => (hasNoSession(who) || who === 'guest' ? '303 /login' : who === 'owner' || who === 'admin' ? home : '404 not_found'),
      shared: payers,
    },
  ],
  // Public: every visitor with the address may read the page, which is the same for all.
  'GET /share/:id': [{ path: ({ shareId }) => `/share/${shareId}`, answer: everybody('200'), shared: allViewersButOwner }],
  'GET /share/:id/': [{ path: ({ shareId }) => `/share/${shareId}/`, answer: everybody('200'), shared: allViewersButOwner }],
  // The page of the scene has no file.
  'GET /share/:id/files/:index': [{ path: ({ shareId }) => `/share/${shareId}/files/0`, answer: everybody('404') }],
  'POST /api/shares/:id/copy': [
    {
      path: ({ shareId }) => `/api/shares/${shareId}/copy`,
      body: () => `{"threadId":"${newId()}"}`,
      ...{ answer: signedIn('201'), shared: allViewersButOwner },
    },
  ],
  'GET /shell': [{ path: () => '/shell', answer: everybody('200') }],
  'GET /api/price': [{ path: () => '/api/price', answer: everybody('200') }],
  'GET /api/customer-portal': [
    {
      path: ({ organizationId }) => `/api/customer-portal?organizationId=${organizationId}`,
      ...{ answer: forOrganization('303 /api/simulation/portal/…'), shared: payers },
    },
  ],
  'GET /api/customer-portal/return': [
    {
      path: ({ organizationId }) => `/api/customer-portal/return?organizationId=${organizationId}`,
      ...{ answer: forOrganization(home), shared: payers },
    },
  ],
  // The payment provider's pages are open to all clients with the address, like the provider's; the address cannot be guessed.
  'GET /api/simulation/checkout/:id': [{ path: () => `/api/simulation/checkout/${newId()}`, answer: absent }],
  'POST /api/simulation/checkout/:id': [{ path: () => `/api/simulation/checkout/${newId()}`, answer: absent }],
  'GET /api/simulation/portal/:id': [{ path: () => `/api/simulation/portal/${newId()}`, answer: absent }],
  'POST /api/simulation/portal/:id': [{ path: () => `/api/simulation/portal/${newId()}`, body: () => 'act=cancel', answer: absent }],

  'POST /api/page-errors': [
    {
      path: () => '/api/page-errors',
      body: ({ threadId }) => JSON.stringify({ code: 'TypeError', message: null, places: ['a.js:1:2'], build: threadId }),
      answer: everybody('204'),
    },
  ],
  // tool-servers.test.ts tests the behaviour of the routes. Nothing listens at the address of the owner's server.
  'POST /api/tool-servers': [
    {
      path: () => '/api/tool-servers',
      // The owner has this server; another user cannot take its id.
      body: ({ toolServerId }) => JSON.stringify({ id: toolServerId, url: 'http://127.0.0.1:9/mcp' }),
      answer: withAccount('201', '200'),
    },
  ],
  'GET /api/tool-servers/client-metadata.json': [{ path: () => '/api/tool-servers/client-metadata.json', answer: everybody('200') }],
  'GET /api/tool-servers/callback': [
    {
      path: ({ toolServerId }) => `/api/tool-servers/callback?code=guessed&state=${toolServerId}.guessed`,
      answer: (who) => (hasNoSession(who) ? '303 /login' : '303 /account/tools'),
    },
  ],
  'PATCH /api/tool-servers/:id': [
    { path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}`, body: () => '{"name":"Mine now"}', answer: withAccount('204') },
  ],
  'POST /api/tool-servers/:id/refresh': [
    { path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/refresh`, answer: withAccount('200') },
  ],
  'PUT /api/tool-servers/:id/headers': [
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/headers`,
      body: () => '{"headers":{"x-key":"mine"}}',
      answer: withAccount('200'),
    },
  ],
  // Only what the server listed is read.
  'POST /api/tool-servers/:id/resource': [
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/resource`,
      body: () => '{"uri":"note://a"}',
      answer: withAccount('200'),
    },
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/resource`,
      body: () => '{"uri":"note://b"}',
      answer: withAccount('404 not_found'),
    },
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/resource`,
      body: () => '{"uri":"note://a","args":{"a":1}}',
      answer: withAccount('400 invalid_request', '400 invalid_request'),
    },
  ],
  'POST /api/tool-servers/:id/prompt': [
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/prompt`,
      body: () => '{"name":"letter","args":{"to":"Ben"}}',
      answer: withAccount('200'),
    },
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/prompt`,
      body: () => '{"name":"other"}',
      answer: withAccount('404 not_found'),
    },
  ],
  'POST /api/tool-servers/:id/suggestions': [
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/suggestions`,
      body: () => '{"kind":"prompt","key":"letter","argument":{"name":"to","value":"B"},"args":{}}',
      answer: withAccount('200'),
    },
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/suggestions`,
      body: () => '{"kind":"prompt","key":"letter","argument":{"name":"other","value":""},"args":{}}',
      answer: withAccount('404 not_found'),
    },
    {
      path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/suggestions`,
      body: () => '{"kind":"tool","key":"letter","argument":{"name":"to","value":""},"args":{}}',
      answer: withAccount('400 invalid_request', '400 invalid_request'),
    },
  ],
  'POST /api/tool-servers/:id/login': [
    { path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/login`, answer: withAccount('200') },
  ],
  'POST /api/tool-servers/:id/logout': [
    { path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}/logout`, answer: withAccount('204') },
  ],
  'DELETE /api/tool-servers/:id': [{ path: ({ toolServerId }) => `/api/tool-servers/${toolServerId}`, answer: withAccount('204', '204') }],
  'POST /api/models/refresh': [{ path: () => '/api/models/refresh', answer: signedIn('204') }],
  // The results by thread: messages-search.test.ts.
  'POST /api/messages/search': [
    { path: () => '/api/messages/search', body: ({ threadId }) => `{"query":"${threadId}"}`, answer: signedIn('200') },
  ],
  // The result by thread: messages-search.test.ts.
  'POST /api/messages/find': [
    {
      path: () => '/api/messages/find',
      body: ({ threadId, messageId }) => JSON.stringify({ threadId, messageId, query: 'hello' }),
      answer: signedIn('200'),
    },
  ],
  'POST /api/files': [
    {
      path: () => '/api/files',
      // The owner's upload id: the owner gets the file, and every other user a new one.
      headers: ({ fileId }) => ({ 'x-upload-id': fileId, 'x-file-name': 'a.txt', 'content-type': 'text/plain' }),
      ...{ body: () => 'abc', answer: signedIn('200', '201') },
    },
  ],
  'POST /api/files/convert': [{ path: () => '/api/files/convert', body: () => 'abc', answer: signedIn('415 image_format') }],
  'GET /api/files/:id': [{ path: ({ fileId }) => `/api/files/${fileId}`, answer: signedIn('200', '404 not_found') }],
  // A HEAD response has no body for a refusal.
  'HEAD /api/files/:id': [
    {
      path: ({ fileId }) => `/api/files/${fileId}`,
      answer: (who) => (hasNoSession(who) ? '401' : who === 'owner' ? '200' : '404'),
    },
  ],
  // The file is a text, which has no original.
  'POST /api/files/:id/original': [
    { path: ({ fileId }) => `/api/files/${fileId}/original`, body: () => 'abc', answer: signedIn('404 not_found') },
  ],
  'GET /api/files/:id/original': [{ path: ({ fileId }) => `/api/files/${fileId}/original`, answer: signedIn('200', '404 not_found') }],
  'HEAD /api/files/:id/original': [
    {
      path: ({ fileId }) => `/api/files/${fileId}/original`,
      answer: (who) => (hasNoSession(who) ? '401' : who === 'owner' ? '200' : '404'),
    },
  ],
  // Only large pictures have thumbnails; for other files the address serves the file.
  'POST /api/files/:id/thumbnail': [
    { path: ({ fileId }) => `/api/files/${fileId}/thumbnail`, body: () => 'abc', answer: signedIn('404 not_found') },
  ],
  'GET /api/files/:id/thumbnail': [{ path: ({ fileId }) => `/api/files/${fileId}/thumbnail`, answer: signedIn('200', '404 not_found') }],
  'HEAD /api/files/:id/thumbnail': [
    {
      path: ({ fileId }) => `/api/files/${fileId}/thumbnail`,
      answer: (who) => (hasNoSession(who) ? '401' : who === 'owner' ? '200' : '404'),
    },
  ],
  'DELETE /api/files/:id': [
    { path: ({ fileId }) => `/api/files/${fileId}`, answer: signedIn('204') },
    { path: ({ unsentFileId }) => `/api/files/${unsentFileId}`, answer: signedIn('204') },
  ],
}
