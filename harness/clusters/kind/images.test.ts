import { describe, expect, it } from 'vitest';
import { loadCommands, nameInNode } from './images.ts';

describe('an image on its way into the node of a kind cluster', () => {
  it('is copied by kind out of docker, and goes by an archive from elsewhere', () => {
    expect(loadCommands('docker', 'my-operator:dev', 'stalemate-a', '/tmp/a.tar')).toEqual([
      ['kind', 'load', 'docker-image', 'my-operator:dev', '--name', 'stalemate-a'],
    ]);
    for (const engine of ['podman', 'nerdctl'] as const)
      expect(loadCommands(engine, 'my-operator:dev', 'stalemate-a', '/tmp/a.tar')).toEqual([
        [engine, 'save', '--output', '/tmp/a.tar', 'my-operator:dev'],
        ['kind', 'load', 'image-archive', '/tmp/a.tar', '--name', 'stalemate-a'],
      ]);
  });

  it('is called there as its engine calls what was built here', () => {
    expect(nameInNode('docker', 'my-operator:dev')).toBe('my-operator:dev');
    expect(nameInNode('nerdctl', 'team/my-operator:dev')).toBe('team/my-operator:dev');
    expect(nameInNode('podman', 'my-operator:dev')).toBe('localhost/my-operator:dev');
    expect(nameInNode('podman', 'team/my-operator:dev')).toBe('localhost/team/my-operator:dev');
    expect(nameInNode('podman', 'localhost/my-operator:dev')).toBe('localhost/my-operator:dev');
    expect(nameInNode('podman', 'registry.example.com/my-operator:dev')).toBe('registry.example.com/my-operator:dev');
    expect(nameInNode('podman', 'registry:5000/my-operator:dev')).toBe('registry:5000/my-operator:dev');
  });
});
