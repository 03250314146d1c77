/** The sources of tools that a thread can use. */
import type { Refusal } from '../../../../worker/contract/errors.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { webSource } from '../../../../worker/contract/tools/taint.ts'
import { hasOffer } from '../../../../worker/contract/tools/tool-servers.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import type { Me, ThreadRow } from '../../../sync/rows.ts'
import { useToolServers } from '../../../sync/tool-servers.ts'
import { t } from './texts/en.ts'

export type ToolsProps = {
  readonly draftKey: string
  /** Undefined for a new thread. */
  readonly thread: ThreadRow | undefined
  /** The sources that are switched off: in the thread, else in its project. The draft of a new thread holds the choice until then. */
  readonly offTools: readonly string[]
  readonly mode: TurnMode
  readonly me: Me
  readonly onChooseMode: (mode: TurnMode) => void
  readonly onRefused: (reason: Refusal) => void
}

export function useToolSources(): readonly { readonly id: string; readonly name: string }[] {
  const { servers } = useToolServers()
  const usable = servers.filter(hasOffer)
  return pageSettings.search ? [{ id: webSource, name: t('web') }, ...usable] : usable
}
