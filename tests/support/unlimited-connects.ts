import type { SyncLimits } from '../../worker/sync/object/app.ts'

/** For tests that connect one user more often than the product allows. */
export const unlimitedConnects: Pick<SyncLimits, 'connects' | 'newGroups'> = {
  connects: { burst: 1_000_000, perSecond: 1_000_000 },
  newGroups: { burst: 1_000_000, perSecond: 1_000_000 },
}
