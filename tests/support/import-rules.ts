// Allowed imports, as data. A zone is the longest matching prefix of a path; it may import only the listed zones.
import type { Edge, Source } from './import-graph.ts'

type Zone = { readonly zone: string; readonly may: readonly string[]; readonly because: string }
type PackageRule = {
  readonly packages: RegExp
  readonly in: readonly string[]
  readonly onlyIn: readonly string[]
  readonly because: string
}

const workerBase = ['worker/bindings.ts', 'worker/setting', 'worker/contract/', 'worker/lib/', 'worker/telemetry/record.ts']
/** The module through which the rest of the Worker calls the object of a user. */
const userSyncCalls = 'worker/user-sync/rpc.ts'
/** Typed reads of the replica. */
const replicaRows = 'worker/user-sync/replica-rows.ts'
const syncCalls = ['worker/sync/connect-route.ts', userSyncCalls]
const webBase = ['web/lib/', 'web/styles/', 'worker/contract/']

const zones: readonly Zone[] = [
  {
    zone: 'worker/index.ts',
    may: ['worker/app.ts', 'worker/scheduled.ts', 'worker/user-sync/user-sync.ts', 'worker/chat/generation-object.ts', ...workerBase],
    because: 'the entry names the handlers and the two objects, and does nothing itself',
  },
  {
    zone: 'worker/index.dev.ts',
    may: [
      ...['worker/app.ts', 'worker/scheduled.ts', 'worker/user-sync/user-sync.ts', 'worker/chat/generation-object.ts', 'worker/dev/'],
      ...workerBase,
    ],
    because: 'the entry of development adds the stand-ins, and nothing else imports them',
  },
  { zone: 'worker/edge.ts', may: [], because: 'the build writes it as one file without imports' },
  {
    zone: 'worker/app.ts',
    may: ['worker/api/', 'worker/auth/', 'worker/billing/', 'worker/page/', userSyncCalls, ...workerBase],
    because: 'the app only mounts routes',
  },
  {
    zone: 'worker/telemetry/',
    may: ['worker/telemetry/', 'worker/setting', 'worker/lib/'],
    because: 'every part records with it, so it imports no part',
  },
  {
    zone: 'worker/alerts.ts',
    may: ['worker/auth/mails.ts', 'worker/db/', ...workerBase],
    because: 'alerts read figures and send mail',
  },
  {
    zone: 'worker/scheduled.ts',
    may: ['worker/alerts.ts', 'worker/auth/', 'worker/billing/', 'worker/chat/', userSyncCalls, 'worker/db/', ...workerBase],
    because: 'scheduled work calls the parts and serves no request',
  },
  ...['worker/bindings.ts', 'worker/setting'].map((zone) => ({
    zone,
    may: ['worker/stand-ins.ts', ...workerBase],
    because: 'every part imports the bindings and the settings, so they import no part',
  })),
  {
    zone: 'worker/stand-ins.ts',
    may: ['worker/chat/model/types.ts', 'worker/chat/tools/registry.ts', 'worker/chat/tools/search-provider.ts'],
    because: 'a stand-in has the interface of what it replaces',
  },
  {
    zone: 'worker/api/',
    may: [
      'worker/api/',
      'worker/auth/',
      'worker/billing/',
      'worker/chat/',
      'worker/page/',
      'worker/setup/',
      ...syncCalls,
      'worker/db/',
      ...workerBase,
    ],
    because: 'a route parses, authorises, calls one function and answers',
  },
  {
    zone: 'worker/setup/',
    may: ['worker/setup/', 'worker/billing/', 'worker/db/', ...workerBase],
    because: 'set-up checks the parts',
  },
  {
    zone: 'worker/auth/account-deletion.ts',
    may: ['worker/auth/', 'worker/billing/upkeep.ts', userSyncCalls, 'worker/db/', ...workerBase],
    because: 'payments end before the rows of an account are deleted',
  },
  {
    zone: 'worker/auth/organizations.ts',
    may: ['worker/auth/', 'worker/billing/upkeep.ts', 'worker/chat/tools/mcp/', userSyncCalls, 'worker/db/', ...workerBase],
    because: 'payments end before the rows of an organization are deleted, and the logins of its tool servers after it',
  },
  {
    zone: 'worker/dev/',
    may: [
      ...['worker/dev/', 'worker/stand-ins.ts', 'worker/chat/', 'worker/billing/', 'worker/page/', 'worker/api/', 'worker/db/'],
      ...workerBase,
    ],
    because: 'stand-ins for development implement interfaces of the parts',
  },
  ...['auth', 'billing', 'chat'].map((part) => ({
    zone: `worker/${part}/`,
    may: [`worker/${part}/`, userSyncCalls, 'worker/db/', ...workerBase],
    because: `${part} may import db and the contract, no other part`,
  })),
  {
    zone: 'worker/page/',
    may: [
      ...[
        'worker/page/',
        'worker/auth/session.ts',
        'worker/auth/magic-link.ts',
        'worker/auth/invitation.ts',
        'worker/db/',
        'web/ui/streaming-markdown/',
        'web/ui/code-colours/',
      ],
      ...workerBase,
    ],
    because:
      'a page reads the session, the magic link or the invitation in its address and the first rows, and draws answers by the syntax and in the colours of the app',
  },
  {
    zone: 'worker/sync/',
    may: ['worker/sync/', 'worker/lib/'],
    because: 'the sync server implements the Zero protocol without terms of this product',
  },
  ...['engine', 'protocol', 'state', 'pull', 'poke', 'object', 'push', 'connect'].map((folder, level, folders) => ({
    zone: `worker/sync/${folder}/`,
    may: [...folders.slice(0, level + 1).map((below) => `worker/sync/${below}/`), 'worker/lib/'],
    because: 'a folder of the sync server imports only itself and the folders before it in this list',
  })),
  ...['turns', 'first-page', 'thread-search', 'presence'].map((feature) => ({
    zone: `worker/${feature}/`,
    may: [`worker/${feature}/`, replicaRows, 'worker/sync/', 'worker/db/', ...workerBase],
    because: 'a feature follows commits of the sync server and imports no other feature',
  })),
  { zone: replicaRows, may: ['worker/sync/', ...workerBase], because: 'every feature reads the replica with it' },
  {
    zone: 'worker/user-sync/',
    may: [
      'worker/user-sync/',
      'worker/turns/',
      'worker/first-page/',
      'worker/thread-search/',
      'worker/presence/',
      'worker/sync/',
      'worker/auth/token.ts',
      'worker/db/',
      ...workerBase,
    ],
    because: 'connects the sync server with the database and the features of this product',
  },
  {
    zone: userSyncCalls,
    may: ['worker/db/', ...workerBase],
    because: 'every part of the Worker calls the objects of users',
  },
  { zone: 'worker/db/', may: ['worker/db/', ...workerBase], because: 'worker/db imports nothing above it' },
  {
    zone: 'worker/contract/',
    may: ['worker/contract/'],
    because: 'the contract runs in the Worker and in the page, so it imports nothing of either',
  },
  { zone: 'worker/lib/', may: ['worker/lib/'], because: 'lib has no domain words' },
  { zone: 'web/main.ts', may: ['web/app.tsx', 'web/german.ts', 'web/sync/provider.tsx', 'web/lib/'], because: 'the entry loads the app' },
  { zone: 'web/app.tsx', may: ['web/'], because: 'the app starts here and reaches the Worker through the contract alone' },
  { zone: 'web/german.ts', may: ['web/', 'worker/contract/'], because: 'it collects the German texts of all folders' },
  { zone: 'web/service-worker/', may: ['web/service-worker/'], because: 'the service worker runs outside the page' },
  {
    zone: 'web/routes/',
    may: ['web/routes/', 'web/features/', 'web/ui/', 'web/sync/', ...webBase],
    because: 'routes compose features',
  },
  {
    zone: 'web/features/',
    may: ['web/features/', 'web/ui/', 'web/sync/', ...webBase],
    because: 'features import no routes',
  },
  ...['stream', 'models', 'composer', 'research', 'approvals', 'message', 'queue', 'thread'].map((folder, level, folders) => ({
    zone: `web/features/chat/${folder}/`,
    may: [...folders.slice(0, level + 1).map((below) => `web/features/chat/${below}/`), ...['web/ui/', 'web/sync/', ...webBase]],
    because: 'a folder of the chat imports only itself and the folders before it in this list',
  })),
  { zone: 'web/ui/', may: ['web/ui/', 'web/lib/', 'web/styles/'], because: 'ui is props in, DOM out: no data, no contract' },
  ...['streaming-markdown', 'code-colours'].map((folder) => ({
    zone: `web/ui/${folder}/`,
    may: [`web/ui/${folder}/`],
    because: 'it only reads text: no DOM, no terms of this product',
  })),
  { zone: 'web/sync/', may: ['web/sync/', ...webBase], because: 'sync is below everything that draws' },
  { zone: 'web/lib/', may: ['web/lib/', 'worker/contract/'], because: 'lib is below everything else of the page' },
  { zone: 'web/styles/', may: ['web/styles/'], because: 'styles import styles' },
]

/** The children of this folder never import each other. */
const featuresFolder = 'web/features/'

const packageRules: readonly PackageRule[] = [
  { packages: /^drizzle-orm/, in: ['worker/', 'web/'], onlyIn: ['worker/db/'], because: 'only worker/db may use Drizzle' },
  {
    packages: /^hono/,
    in: ['worker/', 'web/'],
    onlyIn: ['worker/app.ts', 'worker/api/', 'worker/auth/', 'worker/page/', 'worker/billing/', 'worker/dev/'],
    because: 'only routes may import Hono',
  },
  {
    packages: /^@rocicorp\/zero/,
    in: ['web/'],
    onlyIn: ['web/sync/'],
    because: 'only web/sync may import the sync library',
  },
  {
    packages: /^zod(?!\/mini)/,
    in: ['worker/contract/', 'web/'],
    onlyIn: [],
    because: 'the browser loads this file: use zod/mini, which has a tenth of the bytes',
  },
  { packages: /^(node:|cloudflare:)/, in: ['worker/contract/', 'web/'], onlyIn: [], because: 'browsers do not have this module' },
]

type WordRule = { readonly word: RegExp; readonly in: string; readonly except?: readonly string[]; readonly because: string }

/** The sync protocol, the change feed, guarded turns and the first page: see the decision about Drizzle. */
const rawStatements = [
  'content-use',
  'feed',
  'first-page',
  'hidden-files',
  'model-use',
  'user-import',
  'progress',
  'sessions',
  'shards',
  'cleanup',
]
  .concat('turn-endings', 'turns', 'writes')
  .map((name) => `worker/db/${name}.ts`)

/** Words that must not appear in a folder's code. */
const wordRules: readonly WordRule[] = [
  { word: /\bRequest\b/, in: 'worker/db/', because: 'worker/db takes values, not Request objects' },
  { word: /\.prepare\(/, in: 'worker/db/', except: rawStatements, because: 'use Drizzle outside the hot path' },
]

/** Names of unspecific modules and index files. */
const forbiddenNames = [/(^|\/)(src|shared|common|utils?|helpers?|misc|core)(\/|\.tsx?$)/, /^(?!worker\/index\.ts$).*\/index\.tsx?$/]

export function violationOf(edge: Edge): string | null {
  return edge.isPackage ? packageViolation(edge) : zoneViolation(edge)
}

function packageViolation({ from, to }: Edge): string | null {
  const broken = packageRules.find(
    (rule) => rule.packages.test(to) && rule.in.some((zone) => from.startsWith(zone)) && !rule.onlyIn.some((zone) => from.startsWith(zone)),
  )
  return broken ? `${from} → ${to}: ${broken.because}` : null
}

function zoneViolation({ from, to }: Edge): string | null {
  const zone = zones.filter((candidate) => from.startsWith(candidate.zone)).sort((a, b) => b.zone.length - a.zone.length)[0]
  if (!zone) return `${from}: no zone contains this file; move it to a folder of the layout`
  if (!zone.may.some((allowed) => to.startsWith(allowed))) return `${from} → ${to}: ${zone.because}`
  if (from.startsWith(featuresFolder) && to.startsWith(featuresFolder) && featureOf(from) !== featureOf(to))
    return `${from} → ${to}: features never import each other`
  return null
}

const featureOf = (path: string) => path.slice(featuresFolder.length).split('/')[0]

export function sourceViolations({ path, text }: Source): string[] {
  return [
    ...(forbiddenNames.some((name) => name.test(path)) ? [`${path}: unspecific file name`] : []),
    ...wordRules
      .filter((rule) => path.startsWith(rule.in) && !rule.except?.includes(path) && rule.word.test(withoutComments(text)))
      .map((rule) => `${path} contains ${rule.word.source}: ${rule.because}`),
  ]
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
