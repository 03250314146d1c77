/** The theme's colours in hex for the diagram library, which supports neither variables nor oklch. */

const roles = [
  'background',
  'surface',
  'raised',
  'muted',
  'foreground',
  'muted-foreground',
  'accent',
  'success',
  'warning',
  'danger',
] as const
type Colours = Readonly<Record<(typeof roles)[number], string>>

function coloursOfPage(): Colours {
  const probe = document.createElement('span')
  // Forced colors would make all roles equal.
  probe.style.setProperty('forced-color-adjust', 'none')
  document.body.append(probe)
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const hexOf = (role: string): string => {
    probe.style.color = `var(--${role})`
    if (!context) return '#808080'
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    return hex([...context.getImageData(0, 0, 1, 1).data.slice(0, 3)])
  }
  const colours = Object.fromEntries(roles.map((role) => [role, hexOf(role)])) as Colours
  probe.remove()
  return colours
}

const hex = (channels: readonly number[]): string =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

const channelsOf = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** `share` of the first colour, from 0 to 1, mixed into the second. */
const mixed = (first: string, second: string, share: number): string => {
  const others = channelsOf(second)
  return hex(channelsOf(first).map((channel, index) => channel * share + (others[index] ?? 0) * (1 - share)))
}

const isDark = (colour: string): boolean => channelsOf(colour).reduce((sum, channel) => sum + channel, 0) < 3 * 128

export function diagramColours() {
  const page = coloursOfPage()
  const on = page.surface
  const ink = page.foreground
  const line = mixed(page['muted-foreground'], on, 0.8)
  const tints = [page.accent, page.success, page.warning, page.danger, page['muted-foreground']]
  /** Backgrounds for text: only a slight tint, so that the text stays readable. */
  const grounds = Array.from({ length: 12 }, (_, index) =>
    mixed(tints[index % tints.length] ?? ink, on, index < tints.length ? 0.24 : 0.14),
  )
  const each = (name: string, of: (ground: string, index: number) => string, first = 0) =>
    Object.fromEntries(grounds.map((ground, index) => [`${name}${index + first}`, of(ground, index)]))
  const node = mixed(page.accent, on, 0.12)
  const group = mixed(ink, on, 0.04)
  return {
    darkMode: isDark(page.background),
    background: on,
    useGradient: false,
    dropShadow: 'none',
    primaryColor: node,
    primaryTextColor: ink,
    primaryBorderColor: mixed(page.accent, on, 0.55),
    secondaryColor: group,
    secondaryTextColor: ink,
    secondaryBorderColor: line,
    tertiaryColor: group,
    tertiaryTextColor: ink,
    tertiaryBorderColor: mixed(ink, on, 0.2),
    lineColor: line,
    textColor: ink,
    titleColor: ink,
    mainBkg: node,
    edgeLabelBackground: on,
    clusterBkg: group,
    clusterBorder: mixed(ink, on, 0.2),
    noteBkgColor: mixed(page.warning, on, 0.16),
    noteTextColor: ink,
    noteBorderColor: mixed(page.warning, on, 0.5),
    activationBkgColor: mixed(page.accent, on, 0.3),
    labelBoxBkgColor: group,
    taskBkgColor: mixed(page.accent, on, 0.3),
    taskTextColor: ink,
    taskTextDarkColor: ink,
    taskTextLightColor: ink,
    taskTextOutsideColor: ink,
    activeTaskBkgColor: mixed(page.success, on, 0.3),
    doneTaskBkgColor: mixed(ink, on, 0.14),
    critBkgColor: mixed(page.danger, on, 0.3),
    critBorderColor: page.danger,
    todayLineColor: page.danger,
    gridColor: mixed(ink, on, 0.3),
    sectionBkgColor: group,
    sectionBkgColor2: group,
    altSectionBkgColor: on,
    excludeBkgColor: mixed(ink, on, 0.08),
    errorBkgColor: on,
    errorTextColor: page.danger,
    pieTitleTextColor: ink,
    pieSectionTextColor: ink,
    pieLegendTextColor: ink,
    pieStrokeColor: on,
    pieOuterStrokeColor: mixed(ink, on, 0.2),
    pieOpacity: '1',
    ...each('pie', (_, index) => mixed(tints[index % tints.length] ?? ink, on, index < tints.length ? 0.45 : 0.25), 1),
    ...each('cScale', (ground) => ground),
    ...each('cScaleLabel', () => ink),
    ...each('cScalePeer', (ground) => mixed(ink, ground, 0.3)),
    ...each('git', (_, index) => mixed(tints[index % tints.length] ?? ink, on, 0.8)),
    ...each('gitBranchLabel', () => on),
    ...each('fillType', (ground) => ground),
    commitLabelColor: ink,
    commitLabelBackground: group,
    tagLabelColor: ink,
    tagLabelBackground: group,
    tagLabelBorder: line,
    quadrant1Fill: grounds[0],
    quadrant2Fill: grounds[1],
    quadrant3Fill: grounds[2],
    quadrant4Fill: grounds[4],
    quadrantPointFill: page.accent,
    quadrantPointTextFill: ink,
    xyChart: {
      backgroundColor: on,
      titleColor: ink,
      xAxisLabelColor: ink,
      xAxisTitleColor: ink,
      xAxisTickColor: line,
      xAxisLineColor: line,
      yAxisLabelColor: ink,
      yAxisTitleColor: ink,
      yAxisTickColor: line,
      yAxisLineColor: line,
      plotColorPalette: tints.join(','),
    },
  }
}
