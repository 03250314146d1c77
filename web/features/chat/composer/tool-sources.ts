/** The sources of tools that a thread can use. */
import type { Refusal } from '../../../../worker/contract/errors.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { webSource } from '../../../../worker/contract/tools/taint.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import type { Me, ThreadRow } from '../../../sync/rows.ts'
import { type SourceName, useServerSources } from '../../../sync/tool-servers.ts'
import { t } from './texts/en.ts'

export type ToolsProps = {
  readonly draftKey: string
  /** Undefined for a new thread. */
  readonly thread: ThreadRow | undefined
  /** The sources whose switch was moved (`isSourceOn`): in the thread, else in its project. The draft of a new thread holds the choice until then. */
  readonly offTools: readonly string[]
  readonly mode: TurnMode
  readonly me: Me
  readonly onChooseMode: (mode: TurnMode) => void
  readonly onRefused: (reason: Refusal) => void
}

export function useToolSources(): readonly SourceName[] {
  const servers = useServerSources()
  return pageSettings.search ? [{ id: webSource, name: t('web'), isOfOrganization: false }, ...servers] : servers
}

export const sourceLabel = ({ name, organization }: SourceName): string => (organization === undefined ? name : `${name} (${organization})`)
