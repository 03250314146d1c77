/** The tool servers of the user. The server alone writes their rows. */
import { useQuery } from '@rocicorp/zero/react'
import { queries } from '../../worker/contract/queries.ts'
import { options } from './query-options.ts'
import type { ToolServerRow } from './rows.ts'

export function useToolServers(): { readonly servers: readonly ToolServerRow[]; readonly isComplete: boolean } {
  const [servers, { type }] = useQuery(queries.toolServers.mine(), options)
  return { servers, isComplete: type === 'complete' }
}
