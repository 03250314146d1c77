/** The offer of a server: its tools with a switch each, its resources and its prompts; and the entries that cannot be used. */
import { type ReactNode, useState } from 'react'
import { isRecord } from '../../../../worker/contract/is-record.ts'
import { isUsable } from '../../../../worker/contract/tools/tool-consent.ts'
import { isListed, type ServerTool, type ToolDefinition } from '../../../../worker/contract/tools/tool-servers.ts'
import { cx } from '../../../lib/cx.ts'
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
  const listed = tools.filter(isListed)
  const toggle = async ({ name: tool, digest, accepted }: ServerTool, isOn: boolean) => {
    const names = isOn ? hidden.filter((one) => one !== tool) : [...hidden, tool]
    setSwitched({ names, before: off })
    // A changed tool is off until it is switched on again, by the definition that is shown.
    const change = accepted ? { accept: { name: tool, digest } } : { off: names }
    const reason = reasonOf(await callServers('PATCH', idPath(id), change))
    if (reason === null) return
    setSwitched(null)
    toast('error', reason)
  }
  const isOn = (tool: ServerTool) => isUsable(tool, { off: hidden })
  const on = listed.filter(isOn).length
  const count = listed.length
  const changed = listed.filter(({ accepted }) => accepted).length
  const counts = [
    on === count ? t('toolCount', { count }) : t('toolsOn', { on, count }),
    resources?.length && t('resourceCount', { count: resources.length }),
    prompts?.length && t('promptCount', { count: prompts.length }),
  ]
  return (
    <>
      {changed > 0 && (
        <p className="mt-1 text-warning text-pretty">{t(mayChange ? 'changedTools' : 'changedToolsOfMember', { count: changed })}</p>
      )}
      <Disclosure className="mt-1" wraps summary={counts.filter(Boolean).join(', ')}>
        <div className="ml-1 flex flex-col gap-4 border-l-2 border-foreground/12 pl-4">
          {count > 0 && (
            <ul aria-label={t('tools', { name })} className="flex flex-col gap-3">
              {listed.map((tool) => (
                <li key={tool.name} className="flex items-start gap-3">
                  <div className="min-w-0 flex-1">
                    <Described
                      title={tool.title}
                      text={tool.description}
                      isWhole={tool.accepted !== undefined}
                      badge={
                        <>
                          {tool.isReadOnly && <Badge tooltip={t('readOnlyNote')}>{t('readOnly')}</Badge>}
                          {tool.accepted && <Badge tone="warning">{t('changed')}</Badge>}
                        </>
                      }
                    />
                    {tool.accepted && <Change tool={tool} accepted={tool.accepted} />}
                  </div>
                  {mayChange ? (
                    <Switch label={t('useTool', { tool: tool.title })} checked={isOn(tool)} onChange={(next) => void toggle(tool, next)} />
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
    </>
  )
}

type ChangeProps = { readonly tool: ServerTool; readonly accepted: ToolDefinition }

/** What the server changed since the definition was accepted. */
function Change({ tool, accepted }: ChangeProps) {
  const isSameSchema = JSON.stringify(tool.inputSchema) === JSON.stringify(accepted.inputSchema)
  const sentences = [
    tool.title !== accepted.title && t('titleBefore', { title: accepted.title }),
    tool.isReadOnly !== accepted.isReadOnly && t(tool.isReadOnly ? 'becameReadOnly' : 'becameWriting'),
    !isSameSchema && t('inputsChanged', { before: namesOf(accepted), now: namesOf(tool) }),
    tool.description !== accepted.description &&
      (accepted.description === '' ? t('noDescriptionBefore') : t('descriptionBefore', { description: accepted.description })),
  ].filter((sentence) => sentence !== false)
  return (
    <ul className="mt-1 flex flex-col gap-1 border-l-2 border-warning/40 pl-3 text-muted-foreground">
      {(sentences.length > 0 ? sentences : [t('detailsChanged')]).map((sentence) => (
        <li key={sentence} dir="auto" className="wrap-anywhere whitespace-pre-line">
          {sentence}
        </li>
      ))}
    </ul>
  )
}

const namesOf = ({ inputSchema: { properties } }: ToolDefinition): string =>
  isRecord(properties) && Object.keys(properties).length > 0 ? formatList(Object.keys(properties)) : t('noInputs')

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

/** `isWhole`: a long text is not cut, because the user decides about it. */
type DescribedProps = { readonly title: string; readonly text: string; readonly badge?: ReactNode; readonly isWhole?: boolean }

const Described = ({ title, text, badge, isWhole = false }: DescribedProps) => (
  <div className="min-w-0 flex-1">
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span dir="auto" className="font-medium wrap-anywhere">
        {title}
      </span>
      {badge}
    </div>
    <p dir="auto" className={cx('text-muted-foreground wrap-anywhere', isWhole ? 'whitespace-pre-line' : 'line-clamp-2')}>
      {text}
    </p>
  </div>
)
