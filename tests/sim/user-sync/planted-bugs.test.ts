// Does the simulation detect a broken object? Each bug is a replacement in one file of a copy of worker/, and worlds run until one fails.
// Every run tries the one world that is known to fail; the long run (PARLEY_LONG=1) searches for the first.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { cacheDir, rootDir } from '../../../scripts/lib/paths.ts'
import type { UserSync } from '../../../worker/user-sync/user-sync.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import { type Bug, bug, plantInto } from '../planted-bug.ts'
import { runHistory } from './history.ts'
import type { WorldOptions } from './world.ts'

/** A bug that is not found in this many worlds is not detected. */
const maxWorlds = 1000
const events = 120

const kinds: readonly (readonly [kind: string, options: WorldOptions, bugs: readonly Bug[]])[] = [
  [
    'ordinary worlds',
    {},
    [
      bug(1, 'an alarm that fired counts as set', 'sync/state/alarms.ts', 'fires.\n    this.#setAt = null', 'fires.'),
      bug(3, 'an alarm stays late', 'sync/state/alarms.ts', 'this.#setAt <= at) return', 'this.#setAt >= at) return'),
      bug(1, 'after one notification no other is handled', 'sync/object/task-queue.ts', '      isWaiting = false\n', ''),
      bug(1, 'a wake does not pull', 'sync/object/context.ts', 'SinceWake = false\n  /** False', 'SinceWake = true\n  /** False'),
      bug(
        1,
        'a cookie changes in memory only',
        'sync/state/connections.ts',
        '    socket.serializeAttachment(attachment)\n',
        '    if (attachment.cookie === null) socket.serializeAttachment(attachment)\n',
      ),
      bug(1, 'the first page in KV stays as it is', 'first-page/first-page.ts', 'written.digest === digest &&', "written.digest !== '' &&"),
      bug(
        2,
        'an early notification is dropped',
        'first-page/first-page.ts',
        '      state.meta.setAlarmAt(firstPageAlarm, isEarly ? readyAtMs : nowMs + firstPageIntervalMs)\n',
        '',
      ),
    ],
  ],
  [
    'worlds in which users exceed the write limit',
    { isBusy: true },
    [
      bug(
        41,
        'a limited connection is not limited',
        'sync/push/limit-mutations.ts',
        'connections.of(socket)?.isLimited ?? false',
        'connections.of(socket) === undefined',
      ),
      bug(
        1,
        'a repeated write takes two tokens',
        'sync/push/limit-mutations.ts',
        '(isNew[i] ? [keyOf(item)]',
        '(isNew[i] ? [keyOf(item) + Math.random()]',
      ),
      bug(121, 'sleep fills the bucket', 'sync/state/mutation-rate-limiter.ts', 'if (this.#isStored || !this.#bucket) return', 'return'),
      bug(
        1,
        'limited connections are not closed',
        'sync/push/limit-mutations.ts',
        "connections.close(connection, 1000, 'writes are accepted again')",
        'void connection',
      ),
    ],
  ],
  [
    'worlds whose storage fails',
    { isSpoiled: true },
    [bug(5, 'a failed step leaves its watermarks', 'sync/object/context.ts', '    this.state.meta.reset()\n', '')],
  ],
  [
    'worlds whose source does not respond',
    { isSilent: true },
    [
      bug(
        22,
        'no response counts as success',
        'sync/push/serve-push.ts',
        'const failure = source.failureOf(error)',
        `const failure = source.failureOf(error)
      if (String(error).includes('does not answer')) {
        const { clients, engine } = context.state
        const done = ({ groupID, mutation }: PushedMutation) => clients.advance(groupID, mutation.clientID, mutation.id, engine.nextVersion())
        await context.publish(() => run.forEach(({ pushed: item }) => done(item)))
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
        'sync/pull/import.ts',
        '    if (cursors.length > 0) meta.importing = { ...meta.importing, cursors, shape }\n',
        '',
      ),
      bug(1, 'rows between two pages are skipped', 'sync/pull/import.ts', 'after: page.last }]', "after: page.last.replace(/.$/, '9') }]"),
      bug(
        16,
        'rows deleted during an import stay',
        'sync/pull/import.ts',
        'held.filter((id) => !inPage.has(id))',
        'held.filter(() => false)',
      ),
      bug(
        2,
        'completed queries are not sent',
        'sync/pull/import.ts',
        'isTableComplete ? engine.nextVersion() : completedAt',
        'completedAt',
      ),
    ],
  ],
  [
    'worlds with an organization',
    { hasOrganizations: true },
    [
      bug(2, 'rows of a former organization stay', 'sync/pull/pull.ts', '!present.has(', 'false && present.has('),
      bug(1, 'rows of a new organization are not read', 'sync/pull/pull.ts', 'isAdded ? await', '!isAdded ? await'),
      bug(2, 'the end of an organization is missed', 'user-sync/d1-source.ts', 'union select organizationId from member', 'where false'),
    ],
  ],
  [
    'worlds whose source is restored',
    { isRestored: true },
    [
      bug(
        14,
        'groups survive a restored source',
        'sync/pull/import.ts',
        'for (const groupID of state.groups.ids()) forgetGroup(state, groupID)',
        '',
      ),
      bug(40, 'connections outlive a restored record', 'sync/object/commit.ts', '  if (pull.isRestored) context.reconnectAll()\n', ''),
      bug(28, 'an older source is read forever', 'sync/push/failure.ts', "{ type: 'restored' }\n    case", "{ type: 'give-up' }\n    case"),
    ],
  ],
]

const home = join(cacheDir, 'planted-objects')
mkdirSync(home, { recursive: true })
const copies = mkdtempSync(join(home, 'run-'))

silenceLogs()
afterAll(() => rmSync(copies, { recursive: true }))

const isLong = Boolean(process.env.PARLEY_LONG)

describe.each(kinds)('in %s', (kind, options, planted) => {
  test('an unchanged copy passes', async () => {
    const copy = await plant(
      bug(1, 'none', 'sync/state/alarms.ts', 'One platform alarm', 'One platform alarm'),
      join(copies, `${kind}-none`),
    )
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
      await runHistory(seed, events, { ...options, UserSync: copy })
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return null
}

/** Modules that import the changed file are copied with it; all others are the originals. */
async function plant(planted: Bug, copy: string): Promise<typeof UserSync> {
  plantInto(copy, join(rootDir, 'worker'), planted)
  const module: unknown = await import(/* @vite-ignore */ pathToFileURL(join(copy, 'user-sync', 'user-sync.ts')).href)
  // The copy differs from the object in one expression, not in its exports.
  return (module as { UserSync: typeof UserSync }).UserSync
}
