/** The offer of a server: its tools with a switch each, its resources and its prompts; and the entries that cannot be used. */
import { type ReactNode, useState } from 'react'
import type { ServerTool } from '../../../../worker/contract/tools/tool-servers.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { failureSentence } from '../../../lib/tool-servers/failure-sentence.ts'
import { callServers, idPath, reasonOf } from '../../../lib/tool-servers/server-calls.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { toast } from '../../../ui/toaster.tsx'
import type { ShownServer } from './server-item.tsx'
import { t } from './texts/en.ts'

const leftKeys = { tool: 'unusableTools', resource: 'unusableResources', prompt: 'unusablePrompts' } as const

/** The sentences about what cannot be used. */
export function leftTexts({ leftOut }: ShownServer): readonly string[] {
  return (leftOut ?? []).map(({ kind, count, names, failure }) => {
    if (failure) return t(kind === 'prompt' ? 'promptsNotRead' : 'resourcesNotRead', { reason: failureSentence(failure) })
    const unnamed = count - names.length
    const list = formatList(unnamed > 0 ? [...names, t('unnamed', { count: unnamed })] : names)
    return t(leftKeys[kind], { count, list: names.length > 0 ? `: ${list}` : '' })
  })
}

type OfferProps = { readonly server: ShownServer; readonly mayChange: boolean }

export function Offer({ server: { id, name, tools, resources, prompts, off }, mayChange }: OfferProps) {
  /** The user's changes to the switches, until the row changes. */
  const [switched, setSwitched] = useState<{ readonly names: readonly string[]; readonly before: typeof off } | null>(null)
  const hidden = (switched?.before === off && switched?.names) || off || []
  const toggle = async (tool: ServerTool, isOn: boolean) => {
    const names = isOn ? hidden.filter((one) => one !== tool.name) : [...hidden, tool.name]
    setSwitched({ names, before: off })
    const reason = reasonOf(await callServers('PATCH', idPath(id), { off: names }))
    if (reason === null) return
    setSwitched(null)
    toast('error', reason)
  }
  const on = tools.filter((tool) => !hidden.includes(tool.name)).length
  const count = tools.length
  const counts = [
    on === count ? t('toolCount', { count }) : t('toolsOn', { on, count }),
    resources?.length && t('resourceCount', { count: resources.length }),
    prompts?.length && t('promptCount', { count: prompts.length }),
  ]
  return (
    <Disclosure className="mt-1" wraps summary={counts.filter(Boolean).join(', ')}>
      <div className="ml-1 flex flex-col gap-4 border-l-2 border-foreground/12 pl-4">
        {count > 0 && (
          <ul aria-label={t('tools', { name })} className="flex flex-col gap-3">
            {tools.map((tool) => (
              <li key={tool.name} className="flex items-start gap-3">
                <Described
                  title={tool.title}
                  text={tool.description}
                  badge={tool.isReadOnly && <Badge tooltip={t('readOnlyNote')}>{t('readOnly')}</Badge>}
                />
                {mayChange ? (
                  <Switch
                    label={t('useTool', { tool: tool.title })}
                    checked={!hidden.includes(tool.name)}
                    onChange={(isOn) => void toggle(tool, isOn)}
                  />
                ) : (
                  hidden.includes(tool.name) && <Badge>{t('toolOff')}</Badge>
                )}
              </li>
            ))}
          </ul>
        )}
        <Group
          title={t('resources')}
          description={t('resourcesDescription')}
          entries={resources?.map(({ uri, title }) => ({ key: uri, title, text: uri }))}
        />
        <Group
          title={t('prompts')}
          description={t('promptsDescription')}
          entries={prompts?.map((prompt) => ({ key: prompt.name, title: prompt.title, text: prompt.description }))}
        />
      </div>
    </Disclosure>
  )
}

type GroupProps = {
  readonly title: string
  readonly description: string
  readonly entries: readonly { readonly key: string; readonly title: string; readonly text: string }[] | undefined
}

const Group = ({ title, description, entries = [] }: GroupProps) =>
  entries.length > 0 && (
    <div>
      <p className="font-medium">{title}</p>
      <p className="text-muted-foreground">{description}</p>
      <ul aria-label={title} className="mt-2 flex flex-col gap-2">
        {entries.map(({ key, ...entry }) => (
          <li key={key}>
            <Described {...entry} />
          </li>
        ))}
      </ul>
    </div>
  )

type DescribedProps = { readonly title: string; readonly text: string; readonly badge?: ReactNode }

const Described = ({ title, text, badge }: DescribedProps) => (
  <div className="min-w-0 flex-1">
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span dir="auto" className="font-medium wrap-anywhere">
        {title}
      </span>
      {badge}
    </div>
    <p dir="auto" className="line-clamp-2 text-muted-foreground wrap-anywhere">
      {text}
    </p>
  </div>
)
