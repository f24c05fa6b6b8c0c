/**
 * Detects programs with the Java Operator SDK: the runnable jar that Maven or Gradle builds, and the CRDs that fabric8
 * generates beside it.
 */
import { has, type Repository } from '../repository.ts';
import type { Program } from './program.ts';

export function javaProgram(repository: Repository): Program | undefined {
  const pom = repository.text('pom.xml');
  const gradle = repository.text('build.gradle') + repository.text('build.gradle.kts');
  const text = pom === '' ? gradle : pom;
  if (!/javaoperatorsdk|java-operator-sdk|quarkus-operator-sdk/.test(text)) return undefined;
  const isQuarkus = text.includes('quarkus');
  const { folder, wrapper, tool, build, jars, jar, definitions } =
    pom === '' ? ofGradle(repository, gradle) : ofMaven(pom);
  return {
    language: 'Java, Java Operator SDK',
    command: ['java', '-jar', isQuarkus ? `${folder}/quarkus-app/quarkus-run.jar` : `${jars}/${jar ?? 'operator'}.jar`],
    elects: false,
    readyWithinMs: 60_000,
    build: [has(repository, wrapper) ? `./${wrapper}` : tool, ...build],
    builtDefinitions: isQuarkus ? `${folder}/kubernetes` : definitions,
    setUp: 'java',
    notes: isQuarkus ? [] : notesOf(jar),
  };
}

function notesOf(jar: string | undefined): readonly string[] {
  const guessed = jar === undefined ? ['the name of the jar could not be found out; correct it in "command"'] : [];
  return [...guessed, 'the jar has to be one that holds its dependencies, or names them in its manifest'];
}

/** How a build tool is called, and where it writes its output. */
interface Build {
  readonly folder: string;
  readonly wrapper: string;
  readonly tool: string;
  /** Arguments of the tool. */
  readonly build: readonly string[];
  /** The folder of jars. */
  readonly jars: string;
  /** The name of the jar; undefined if the project's files do not contain it. */
  readonly jar: string | undefined;
  readonly definitions: string;
}

function ofMaven(pom: string): Build {
  return {
    ...{ folder: 'target', wrapper: 'mvnw', tool: 'mvn', build: ['-q', 'package', '-DskipTests'] },
    ...{ jars: 'target', jar: mavenJar(pom) },
    definitions: 'target/classes/META-INF/fabric8',
  };
}

/** Returns the name of the jar. The first coordinates in a POM are its own; missing ones are inherited from the parent. */
function mavenJar(pom: string): string | undefined {
  const plain = pom.replaceAll(/<!--[\s\S]*?-->/g, '');
  const parent = /<parent>[\s\S]*?<\/parent>/.exec(plain)?.[0] ?? '';
  const properties = /<properties>[\s\S]*?<\/properties>/.exec(plain)?.[0] ?? '';
  const own = plain
    .replace(parent, '')
    .replace(/<(dependencies|build|dependencyManagement|properties|profiles)>[\s\S]*/, '');
  const artifactId = tagged(own, 'artifactId');
  const version = tagged(own, 'version') ?? tagged(parent, 'version');
  const known: { readonly [name: string]: string | undefined } = {
    ...{ 'project.artifactId': artifactId, 'project.version': version },
    ...{ 'project.parent.version': tagged(parent, 'version') },
  };
  const valueOf = (name: string): string | undefined =>
    Object.hasOwn(known, name) ? known[name] : tagged(properties, name);
  const name = tagged(plain, 'finalName') ?? '${project.artifactId}-${project.version}';
  return withValues(name, valueOf);
}

/** Resolves references, which may be nested; undefined if any is unknown or circular. */
function withValues(text: string, valueOf: (name: string) => string | undefined, depth = 0): string | undefined {
  let isKnown = depth < 8;
  const whole = text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => {
    const value = isKnown ? valueOf(name) : undefined;
    const resolved = value === undefined ? undefined : withValues(value, valueOf, depth + 1);
    isKnown &&= resolved !== undefined;
    return resolved ?? '';
  });
  return isKnown ? whole : undefined;
}

function tagged(xml: string, tag: string): string | undefined {
  const at = xml.indexOf(`<${tag}>`);
  const end = xml.indexOf(`</${tag}>`, at);
  return at < 0 || end < 0 ? undefined : xml.slice(at + tag.length + 2, end).trim();
}

/** Describes a Gradle build. If the settings contain no name, the project is named after its folder, which is unknown here. */
function ofGradle({ text }: Repository, gradle: string): Build {
  const settings = text('settings.gradle') + text('settings.gradle.kts');
  const name = /rootProject\.name\s*=\s*["']([^"'$]+)["']/.exec(settings)?.[1];
  const given =
    /^\s*version\s*(?:=\s*)?["']([^"']+)["']/m.exec(gradle)?.[1] ??
    /^\s*version\s*[=:]\s*(\S+)/m.exec(text('gradle.properties'))?.[1];
  const isComputed = given?.includes('$') ?? /^\s*version\s*=/m.test(gradle);
  const suffix = given === undefined ? '' : `-${given}`;
  return {
    ...{ folder: 'build', wrapper: 'gradlew', tool: 'gradle', build: ['build', '-x', 'test'] },
    ...{ jars: 'build/libs', jar: name === undefined || isComputed ? undefined : `${name}${suffix}` },
    definitions: 'build/classes/java/main/META-INF/fabric8',
  };
}
