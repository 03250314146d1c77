/** The facts about the user that count now. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { queries } from '../../worker/contract/queries.ts'
import { isPresent, isSourceVisible } from '../../worker/contract/threads/memories.ts'
import { options } from './query-options.ts'
import type { MemoryRow } from './rows.ts'

/** `hasSource`: its message can be seen. */
export type Memory = MemoryRow & { readonly hasSource: boolean }

/** Pinned ones first, then the newest. */
export function useMemories(): { readonly memories: readonly Memory[]; readonly isComplete: boolean } {
  const [rows, { type }] = useQuery(queries.memories.mine(), options)
  const memories = useMemo(
    () =>
      rows
        .flatMap(({ thread, ...memory }) => {
          const source = { thread, deletedIds: new Set(thread?.messages.map(({ id }) => id)) }
          return isPresent(memory, () => source) ? [{ ...memory, hasSource: isSourceVisible(memory, source) }] : []
        })
        .sort((a, b) => Number(b.isPinned ?? false) - Number(a.isPinned ?? false)),
    [rows],
  )
  return { memories, isComplete: type === 'complete' }
}
