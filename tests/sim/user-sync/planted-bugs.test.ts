// Does the simulation notice a broken object? Each bug is a replacement in one file of a copy of worker/sync; worlds run until one comes to a bad
// end. Every run tries the one world that is known to; the long run (PARLEY_LONG=1) looks for the first by itself.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { cacheDir, rootDir } from '../../../scripts/lib/paths.ts'
import type { UserSync } from '../../../worker/sync/user-sync.ts'
import { type Bug, bug, plantInto } from '../planted-bug.ts'
import { runHistory } from './history.ts'
import type { WorldOptions } from './world.ts'

/** A bug that survives this many worlds survives. */
const maxWorlds = 1000
const events = 120
/** Worlds that need longer to come to where it matters. */
const longer: { readonly [seed: number]: number } = { 929: 300 }

const kinds: readonly (readonly [kind: string, options: WorldOptions, bugs: readonly Bug[]])[] = [
  [
    'ordinary worlds',
    {},
    [
      bug(1, 'an alarm that rang counts as set', 'alarm.ts', 'rang(): void {\n    this.#setAt = null', 'rang(): void {'),
      bug(2, 'an alarm stays late', 'alarm.ts', 'this.#setAt <= at) return', 'this.#setAt >= at) return'),
      bug(1, 'after one hint no other is taken', 'one-in-line.ts', '      isWaiting = false\n', ''),
      bug(1, 'a wake believes its rows', 'user-context.ts', '#isFresh = false\n  /** Whether D1', '#isFresh = true\n  /** Whether D1'),
      bug(
        1,
        'a cookie moves in memory alone',
        'sessions.ts',
        '    socket.serializeAttachment(attachment)\n',
        '    if (attachment.cookie === null) socket.serializeAttachment(attachment)\n',
      ),
      bug(
        929,
        'turns are forgotten with the storage',
        'user-context.ts',
        "!this.#isFresh && pull.openTurns.length > 0 && meta.deadline('turns') === null",
        'false',
      ),
      bug(
        668,
        'an order sent again is called the first',
        'turns/generations.ts',
        'sessions: sessions(), isFirst })',
        'sessions: sessions(), isFirst: true })',
      ),
      bug(1, 'the first page in KV stays as it is', 'hint-writer.ts', 'written.digest === digest &&', "written.digest !== '' &&"),
      bug(
        2,
        'a hint that came too early is forgotten',
        'hint-writer.ts',
        "      state.meta.setDeadline('hint', isEarly ? readyAtMs : nowMs + hintIntervalMs)\n",
        '',
      ),
    ],
  ],
  [
    'worlds in which people write faster than they may',
    { isBusy: true },
    [
      bug(
        7,
        'whoever waits is let through',
        'limits/limit-push.ts',
        'sessions.of(socket)?.isLimited ?? false',
        'sessions.of(socket) === undefined',
      ),
      bug(1, 'a repeated write is paid twice', 'limits/admit.ts', '(isNew[i] ? [keyOf(item)]', '(isNew[i] ? [keyOf(item) + Math.random()]'),
      bug(121, 'sleep fills the bucket', 'limits/mutation-quota.ts', 'if (this.#isStored || !this.#bucket) return', 'return'),
      bug(
        1,
        'nobody is let in again',
        'limits/limit-push.ts',
        "sessions.close(session, 1000, 'writes are accepted again')",
        'void session',
      ),
    ],
  ],
  [
    'worlds whose storage fails',
    { isSpoiled: true },
    [
      bug(5, 'a failed step leaves its watermarks', 'user-context.ts', '    this.state.meta.reset()\n', ''),
      bug(138, 'a failed step leaves its progress', 'user-context.ts', '    this.state.clients.reset()\n', ''),
    ],
  ],
  [
    'worlds whose record says nothing',
    { isSilent: true },
    [
      bug(
        47,
        'silence counts as consent',
        'push/apply-push.ts',
        'const failure = classifyD1Error(error)',
        `const failure = classifyD1Error(error)
      if (String(error).includes('does not answer')) {
        const { clients, engine } = context.state
        const done = ({ groupID, mutation }: PushedMutation) => clients.advance(groupID, mutation.clientID, mutation.id, engine.nextVersion())
        await context.publish(() => ran.forEach(({ pushed: item }) => done(item)))
        return []
      }`,
      ),
    ],
  ],
  [
    'worlds of more than a page',
    { messages: 450 },
    [
      bug(
        1,
        'an import ends with its first pages',
        'import.ts',
        '    if (cursors.length > 0) meta.importing = { ...meta.importing, cursors, shape: syncedShape }\n',
        '',
      ),
      bug(1, 'rows between two pages are skipped', 'import.ts', 'after: last }]', "after: last.replace(/.$/, '9') }]"),
      bug(5, 'rows that went during an import stay', 'import.ts', 'held.filter(({ id }) => !met.has(id))', 'held.filter(() => false)'),
      bug(
        1,
        'nobody is told that queries are complete',
        'import.ts',
        'left.length === 0 ? engine.nextVersion() : completedAt',
        'completedAt',
      ),
    ],
  ],
  [
    'worlds whose record is restored',
    { isRestored: true },
    [
      bug(7, 'groups outlive a restored record', 'import.ts', 'for (const groupID of state.groups.ids()) forgetGroup(state, groupID)', ''),
      bug(16, 'connections outlive a restored record', 'user-context.ts', '    if (pull.isRestored) this.#sendAway()\n', ''),
      bug(
        28,
        'a record that knows less is asked for ever',
        'push/failure.ts',
        "{ type: 'restored' }\n    case",
        "{ type: 'give-up' }\n    case",
      ),
    ],
  ],
]

const home = join(cacheDir, 'planted-objects')
mkdirSync(home, { recursive: true })
const copies = mkdtempSync(join(home, 'run-'))

beforeEach(() => {
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(copies, { recursive: true }))

const isLong = Boolean(process.env.PARLEY_LONG)

describe.each(kinds)('in %s', (kind, options, planted) => {
  test('an unchanged copy comes to rest', async () => {
    const copy = await plant(bug(1, 'none', 'alarm.ts', 'One platform alarm', 'One platform alarm'), join(copies, `${kind}-none`))
    for (const seed of new Set(planted.map((one) => one.seed))) expect(await firstFailure(copy, options, seed, seed)).toBeNull()
  })

  test.each(planted.map((one, i) => [one.name, one, i] as const))('%s', async (_name, one, i) => {
    const copy = await plant(one, join(copies, `${kind}-${i}`))
    const failure = isLong ? await firstFailure(copy, options, 1, maxWorlds) : await firstFailure(copy, options, one.seed, one.seed)
    expect(failure).not.toBeNull()
  })
})

async function firstFailure(copy: typeof UserSync, options: WorldOptions, from: number, to: number): Promise<string | null> {
  for (let seed = from; seed <= to; seed++) {
    try {
      await runHistory(seed, longer[seed] ?? events, { ...options, UserSync: copy })
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return null
}

/** Only of worker/sync is anything copied: what it imports beside itself stays what it is. */
async function plant(planted: Bug, copy: string): Promise<typeof UserSync> {
  mkdirSync(copy)
  const worker = join(rootDir, 'worker')
  for (const name of readdirSync(worker)) if (name !== 'sync' && name !== 'tsconfig.json') symlinkSync(join(worker, name), join(copy, name))
  plantInto(join(copy, 'sync'), join(worker, 'sync'), planted)
  const module: unknown = await import(/* @vite-ignore */ pathToFileURL(join(copy, 'sync', 'user-sync.ts')).href)
  // The copy differs from the object in one expression, not in its exports.
  return (module as { UserSync: typeof UserSync }).UserSync
}
